"""Task runners: what a project's own files say is to be run under a name."""

import shlex
from collections.abc import Iterator
from dataclasses import dataclass

from toolgate.model.effect import Connect, Interpret, Operation, Prints, Reported, Run
from toolgate.model.place import LOCAL
from toolgate.model.seen import Seen
from toolgate.model.word import Word, known

from .interpreters import script
from .manifests import LONGEST, Makefile, Step, just_steps, line_of_key, package_scripts
from .options import Flags, Given
from .program import Program, via

NPM = Flags(
    "-g,--global --tag= --access= --dry-run --otp= -w,--workspace= --workspaces --registry= -D,--save-dev -S,--save -E --prefix= -C,--dir,--cwd= --if-present"
    " --ignore-scripts --force -f --no-audit --no-fund --legacy-peer-deps --omit= --include= --no-git-checks --yes -y -r,--recursive --filter= --frozen-lockfile"
    " -s,--silent"
)
_LIFECYCLE = {"t": "test", "tst": "test", "test": "test", "start": "start", "stop": "stop", "restart": "restart"}
_CHANGES = {
    "owner": ("add", "rm"),
    "access": ("public", "restricted", "grant", "revoke", "set"),
    "dist-tag": ("add", "rm"),
    "tag": ("add", "remove"),
}


def npm(argv: tuple[Word, ...], seen: Seen) -> Iterator[Reported]:
    """npm, pnpm, yarn: scripts of package.json, programs of the project's, and what is published."""
    given = NPM.read(argv)
    words = [word for word in given.operands if word.text != "npm"]
    verb = words[0].text if words else None
    second = words[1].text if len(words) > 1 else None
    if verb in ("publish", "unpublish", "deprecate") or (verb in _CHANGES and second in _CHANGES[verb]):
        yield Operation(
            "package.publish",
            seen.origin,
            words[1] if len(words) > 1 else None,
            (("dry_run", given.flag("--dry-run")), ("removes", verb != "publish")),
        )
        yield Connect(given.value("--registry") or words[0], seen.origin)
    elif steps := _package_steps(verb, words, argv, given, seen):
        yield from steps
    elif command := _carried(argv):
        yield Run(command, seen.origin, via(argv), sure=None)
    yield Prints(seen.output(via(argv)))


def _package_steps(verb: str | None, words: list[Word], argv: tuple[Word, ...], given: Given, seen: Seen) -> list[Interpret]:
    """A script, with what runs before and after it."""
    tool = via(argv)
    if verb in ("run", "run-script", "rum", "urn"):
        name, rest = (words[1].text if len(words) > 1 else None), words[2:]
    elif verb in _LIFECYCLE:
        name, rest = _LIFECYCLE[verb], words[1:]
    elif tool in ("yarn", "pnpm", "bun"):
        name, rest = verb, words[1:]
    else:
        return []
    if name is None or given.flag("--workspace", "--workspaces", "--recursive", "--filter") is not False:
        return []
    names = (f"pre{name}", name, f"post{name}") if tool != "yarn" else (name,)
    steps: list[Interpret] = []
    for file in _nearest(("package.json",), given.value("--prefix") or given.value("--cwd"), seen):
        scripts = package_scripts(file.text) or {}
        for each in names if name in scripts else ():
            if each in scripts:
                body = _with(known(scripts[each]), rest if each == name else [])
                steps.append(_step(Step(body, line_of_key(file.text, each)), file, seen))
    return steps


def _with(body: Word, words: list[Word]) -> Word:
    for word in words:
        body = body + known(" ") + (known(shlex.quote(word.text), word.src) if word.text is not None else word)
    return body


def _carried(argv: tuple[Word, ...]) -> tuple[Word, ...]:
    """`npm exec prisma ..`, `pnpm dlx x`, `yarn x`: a program of the project's. What pnpm and yarn do themselves is no program."""
    tool = via(argv)
    given = NPM.read(argv, stop=True)
    words = argv[given.rest :]
    if words and words[0].text == "workspace" and tool == "yarn":
        words = words[2:]
    first = words[0].text if words else None
    if first in ("exec", "x", "dlx"):
        words = words[1 + NPM.read(words, stop=True).rest - 1 :]
        return words[1:] if words and words[0].text == "--" else words
    return words if first is not None and tool in ("pnpm", "yarn") and first not in OWN and first[:1] != "-" else ()


def bun(argv: tuple[Word, ...], seen: Seen) -> Iterator[Reported]:
    """A runtime and a package manager in one: `bun x.ts`, `bun -e CODE`, `bun run NAME`, `bun NAME`."""
    given = BUN.read(argv)
    for code in given.all("--eval", "--print"):
        yield Interpret("javascript", code, seen.origin, tuple(given.operands), via="bun -e")
    words = list(given.operands)
    verb = words[0].text if words else None
    if given.values and verb is None:
        return
    if verb == "publish":
        yield Operation("package.publish", seen.origin, None, (("dry_run", given.flag("--dry-run")),))
    elif verb in ("x", "exec") and len(words) > 1:
        yield Run(tuple(words[1:]), seen.origin, "bun x", sure=None)
    elif verb is None:
        yield Interpret("javascript", seen.stdin, seen.origin, via="bun <stdin")
    elif steps := _package_steps(verb, words, argv, given, seen):
        yield from steps
    else:
        file = words[1] if verb == "run" and len(words) > 1 else words[0]
        if file.tail.endswith((".ts", ".tsx", ".js", ".jsx", ".mjs", ".cjs")):
            yield from script("javascript", file, tuple(words), seen)
    yield Prints(seen.output("bun"))


BUN = Flags(
    "-e,--eval= -p,--print= -r,--preload= --watch --hot --inspect=? --cwd= --prefix= -c,--config= --env-file= -b,--bun --silent --if-present --dry-run -w,--workspace="
    " --workspaces --recursive --filter= -h,--help -v,--version"
)
OWN = frozenset(
    [
        "install",
        "i",
        "add",
        "remove",
        "rm",
        "uninstall",
        "un",
        "unlink",
        "update",
        "up",
        "upgrade",
        "link",
        "ln",
        "run",
        "exec",
        "dlx",
        "create",
        "init",
        "publish",
        "unpublish",
        "pack",
        "audit",
        "outdated",
        "list",
        "ls",
        "why",
        "info",
        "view",
        "config",
        "cache",
        "store",
        "login",
        "logout",
        "whoami",
        "version",
        "versions",
        "test",
        "t",
        "start",
        "stop",
        "restart",
        "build",
        "lint",
        "workspace",
        "workspaces",
        "node",
        "patch",
        "patch-commit",
        "import",
        "rebuild",
        "rb",
        "prune",
        "dedupe",
        "set",
        "unset",
        "plugin",
        "constraints",
        "search",
        "bin",
        "root",
        "fetch",
        "deploy",
        "env",
        "server",
        "doctor",
        "owner",
        "team",
        "dist-tag",
        "tag",
        "deprecate",
        "access",
        "token",
        "profile",
        "ping",
        "help",
        "completion",
        "explain",
        "fund",
        "ci",
        "explore",
        "diff",
        "edit",
        "docs",
        "repo",
        "bugs",
        "star",
        "global",
        "policies",
        "licenses",
        "generate-lock-entry",
        "autoclean",
        "check",
        "self-update",
        "setup",
        "npm",
        "rename",
        "up-interactive",
        "upgrade-interactive",
    ]
)


def make(argv: tuple[Word, ...], seen: Seen) -> Iterator[Reported]:
    """The recipes of the targets; SHELL='...' and --eval run text of the command line."""
    given = MAKE.read(argv)
    settings: dict[str, Word] = {}
    targets: list[Word] = []
    for word in given.operands:
        name, assigned, value = word.partition("=")
        if not assigned:
            targets.append(word)
            continue
        settings[(name.text or "").rstrip(":+?!")] = value
        if name.text in ("SHELL", ".SHELLFLAGS", "MAKEFLAGS"):
            yield Interpret("shell", value, seen.origin, via=f"make {name.text}")
    for code in given.all("--eval"):
        yield Interpret("make", code, seen.origin, via="make --eval")
    folder, named = given.value("--directory"), given.value("--file")
    names = (named,) if named is not None else tuple(map(known, ("GNUmakefile", "makefile", "Makefile")))
    if given.flag("--dry-run", "--question", "--help", "--version", "--touch") is False and all(word.text for word in targets):
        here = _folder(folder, seen)
        piped = named is not None and named.text in ("-", "/dev/stdin")
        for file in _piped(here, seen) if piped else _files(names, here, seen):
            makefile = Makefile.read(file.text)
            wanted = [word.text or "" for word in targets] or [makefile.first() or ""]
            yield from (_step(step, file, seen) for step in makefile.steps(wanted, settings) if step.text.parts)
    yield Prints(seen.output("make"))


MAKE = Flags(
    "-C,--directory= -f,--file,--makefile= -I,--include-dir= -j,--jobs=? -k,--keep-going -n,--just-print,--recon,--dry-run -q,--question -s,--silent,--quiet"
    " -t,--touch -B,--always-make -d --debug=? -e,--environment-overrides -i,--ignore-errors -l,--load-average=? -o,--old-file= -O,--output-sync=? -p -r -R -S"
    " -w,--print-directory -W,--what-if= --no-print-directory --eval= -h,--help -v,--version --trace --warn-undefined-variables"
)


def just(argv: tuple[Word, ...], seen: Seen) -> Iterator[Reported]:
    given = Flags(
        "-f,--justfile= -d,--working-directory= -n,--dry-run -l,--list --set= -q,--quiet --summary --dump --evaluate --choose --fmt -v,--verbose -s,--show="
        " -u --unsorted --shell= --init -e --edit --check -h,--help -V,--version"
    ).read(argv)
    if given.flag("--dry-run", "--list", "--summary", "--dump", "--evaluate", "--show", "--help", "--version") is False:
        named = given.value("--justfile")
        names = (named.shown,) if named is not None else ("justfile", "Justfile", ".justfile")
        wanted = [word.text or "" for word in given.operands if "=" not in word.shown]
        for file in _nearest(names, given.value("--working-directory"), seen):
            yield from (_step(step, file, seen) for step in just_steps(file.text, wanted))
    yield Prints(seen.output("just"))


# ---- where the files lie


@dataclass(frozen=True, slots=True)
class File:
    """`src`: the commands of this very call that wrote it."""

    path: str
    text: str
    src: frozenset[int]


def _nearest(names: tuple[str, ...], folder: Word | None, seen: Seen) -> Iterator[File]:
    """The file of such a name in a folder, or in the nearest one above it that surely has one."""
    start = _folder(folder, seen)
    while start is not None:
        found = False
        for file in _files(tuple(map(known, names)), start, seen):
            yield file
            found = True
        if (found and not _touched(names, start, seen)) or start == "/":
            return
        start = start.rpartition("/")[0] or "/"


def _touched(names: tuple[str, ...], folder: str, seen: Seen) -> bool:
    """Did this very call write one of them? Then it may not be there."""
    return any(text.src for name in names for text in seen.contents(known(f"{folder.rstrip('/')}/{name}")))


def _files(names: tuple[Word, ...], folder: str | None, seen: Seen) -> Iterator[File]:
    """All that a file of one of these names may hold; the first name that is surely there counts."""
    if folder is None or seen.site.machine != LOCAL:
        return
    for name in names:
        path = name.text if name.starts("/") is True else f"{folder.rstrip('/')}/{name.text}"
        texts = seen.contents(known(path)) if name.text and path else ()
        yield from (
            File(path or "", text.text, text.src) for text in texts if text.text is not None and len(text.text) <= LONGEST
        )
        if texts and not any(text.src for text in texts):
            return


def _folder(folder: Word | None, seen: Seen) -> str | None:
    return seen.place(known(".") if folder is None else folder).path


def _piped(folder: str | None, seen: Seen) -> Iterator[File]:
    """What comes from standard input."""
    if folder is not None and seen.stdin.text is not None:
        yield File(f"{folder}/-", seen.stdin.text, seen.stdin.src)


def _step(step: Step, file: File, seen: Seen) -> Interpret:
    folder, _, name = file.path.rpartition("/")
    code = step.text.from_commands(file.src)
    return Interpret("shell", code, seen.origin, via=f"{name}:{step.line}", file=file.path, cwd=known(folder or "/"))


ROWS: dict[str, Program] = {
    **dict.fromkeys(("npm", "pnpm", "yarn"), Program(does=npm)),
    **dict.fromkeys(("make", "gmake"), Program(does=make)),
    "bun": Program(does=bun),
    "just": Program(does=just),
}

"""Task runners: the commands that the project's own files define under a name."""

from collections.abc import Iterator
from functools import partial

from toolgate.model.effect import Interpret, Prints, Reported, Run
from toolgate.model.glob import find_wildcards
from toolgate.model.seen import Seen
from toolgate.model.word import Hole, Word, glob_hole, joined, known

from . import justfiles
from .nearest import files, folder, nearest, piped, step
from .options import Flags
from .program import Program, via
from .recipes import Makefile
from .taskfiles import TASKFILES, mise_folders, mise_steps, task_steps


def make(argv: tuple[Word, ...], seen: Seen) -> Iterator[Reported]:
    """The recipes of the targets; SHELL='...' and --eval run text from the command line."""
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
    named = given.value("--file")
    names = (named,) if named is not None else tuple(map(known, ("GNUmakefile", "makefile", "Makefile")))
    if given.flag("--dry-run", "--question", "--help", "--version", "--touch") is False and all(word.text for word in targets):
        here = folder(given.value("--directory"), seen)
        from_stdin = named is not None and named.text in ("-", "/dev/stdin")
        if from_stdin and seen.stdin.text is None:
            yield Interpret("make", seen.stdin, seen.origin, via="make -f -")
        for file in piped(here, seen) if from_stdin else files(names, here, seen):
            within = file.path.rpartition("/")[0] or "/"
            makefile = Makefile.read(file.text, partial(_included, within=within, seen=seen), settings)
            wanted = [word.text or "" for word in targets] or [makefile.first() or ""]
            yield from (step(each, file, seen) for each in makefile.steps(wanted) if each.text.parts)
    yield Prints(seen.output("make"))


MAKE = Flags(
    "-C,--directory= -f,--makefile,--file= -I,--include-dir= -j,--jobs=? -k,--keep-going -n,--just-print,--recon,--dry-run -q,--question -s,--silent,--quiet"
    " -t,--touch -B,--always-make -d --debug=? -e,--environment-overrides -i,--ignore-errors -l,--load-average=? -o,--old-file= -O,--output-sync=? -p -r -R -S"
    " -w,--print-directory -W,--what-if= --no-print-directory --eval= -h,--help -v,--version --trace --warn-undefined-variables"
)


def _included(name: str, within: str, seen: Seen) -> list[str]:
    """Return the texts of the files that a name or pattern matches."""
    if not set(name) & set("*?["):
        return [other.text for other in files((known(name),), within, seen)]
    parts: list[str | Hole] = []
    at = 0
    for start, end in find_wildcards(name):
        parts += (name[at:start], glob_hole(name[start:end]))
        at = end
    beneath = known("" if name.startswith("/") else f"{within.rstrip('/')}/")
    pattern = Word(tuple(part for part in (*parts, name[at:]) if part))
    return [text.text for text in seen.follow(beneath + pattern) if text.text is not None]


def just(argv: tuple[Word, ...], seen: Seen) -> Iterator[Reported]:
    given = Flags(
        "-f,--justfile= -d,--working-directory= -n,--dry-run -l,--list --set= -q,--quiet --summary --dump --evaluate --choose --fmt -v,--verbose -s,--show="
        " -u --unsorted --shell= --init -e --edit --check -h,--help -V,--version"
    ).read(argv)
    marks = [n for n, word in enumerate(argv) if word.text in ("-c", "--command")]
    if marks:  # the words after it run unchanged
        yield Run(argv[marks[0] + 1 :], seen.origin, via(argv, "--command"), cwd=given.value("--working-directory"))
    elif given.flag("--dry-run", "--list", "--summary", "--dump", "--evaluate", "--show", "--help", "--version") is False:
        named = given.value("--justfile")
        names = (named.shown,) if named is not None else ("justfile", "Justfile", ".justfile")
        for file in nearest(names, given.value("--working-directory"), seen):
            found = justfiles.steps(justfiles.read(file, seen), list(given.operands))
            yield from (step(each, home, seen) for each, home in found)
    yield Prints(seen.output("just"))


def task(argv: tuple[Word, ...], seen: Seen) -> Iterator[Reported]:
    """Task (taskfile.dev). It runs its commands in a built-in shell similar to bash."""
    given = Flags(
        "-d,--dir= -t,--taskfile= -n,--dry -l,--list -a,--list-all --summary -s,--silent -f,--force -p,--parallel -v,--verbose -w,--watch -y,--yes"
        " -g,--global -C,--concurrency= -i,--init --status -x,--exit-code -o,--output= -I,--interval= -c,--color -h,--help --version -j,--json"
    ).read(argv, stop=True)
    words, more = _before_dashes(list(argv[given.rest :]))
    settings = {left.text or "": value for left, assigned, value in (word.partition("=") for word in words) if assigned}
    wanted = [word.text or "" for word in words if "=" not in word.shown and word.starts("-") is not True]
    if given.flag("--dry", "--list", "--list-all", "--summary", "--status", "--help", "--version", "--init") is False:
        named = given.value("--taskfile")
        names = (named.shown,) if named is not None else TASKFILES
        for file in nearest(names, given.value("--dir"), seen):
            find = partial(_included, within=file.path.rpartition("/")[0] or "/", seen=seen)
            steps = task_steps(file.text, wanted, {**settings, "CLI_ARGS": joined(more)}, find)
            yield from (step(each, file, seen) for each in steps)
    yield Prints(seen.output("task"))


def _before_dashes(words: list[Word]) -> tuple[list[Word], list[Word]]:
    at = next((n for n, word in enumerate(words) if word.text == "--"), len(words))
    return words[:at], words[at + 1 :]


def mise(argv: tuple[Word, ...], seen: Seen) -> Iterator[Reported]:
    """`mise run NAME`, `mise NAME`, `mise exec TOOL -- COMMAND`."""
    given = Flags(
        "-C,--cd= -E,--env= -j,--jobs= -q,--quiet -v,--verbose -y,--yes -n,--dry-run -f,--force -c,--command= -h,--help --version"
    ).read(argv, stop=True)
    words = list(argv[given.rest :])
    verb = words[0].text if words else None
    if verb in ("exec", "x"):
        _, command = _before_dashes(words[1:])
        yield from (
            Interpret("shell", code, seen.origin, via="mise exec -c") for code in Flags("-c,--command=").read(argv).all("-c")
        )
        if command:
            yield Run(tuple(command), seen.origin, "mise exec")
    if verb in ("run", "r", "watch", "tasks", "task"):
        words = words[2:] if [word.text for word in words[1:2]] == ["run"] else words[1:]
    words = [word for n, word in enumerate(words) if n or word.starts("-") is not True]
    if not words or given.flag("--help", "--version", "--dry-run") is not False:
        return
    for name, rest in _one_by_one(words):
        folders = list(_MISE_TASKS)
        for file in nearest(_MISE, given.value("--cd"), seen):
            find = partial(_included, within=file.path.rpartition("/")[0] or "/", seen=seen)
            yield from (step(each, file, seen) for each in mise_steps(file.text, name, rest, find))
            folders += mise_folders(file.text)
        for beneath in folders if name else ():
            own = known(f"./{beneath.strip('/')}/{name.replace(':', '/')}")
            if seen.contents(own):
                yield Run((own, *rest), seen.origin, "mise run")
    yield Prints(seen.output("mise"))


def _one_by_one(words: list[Word]) -> list[tuple[str, list[Word]]]:
    """Split `mise run a x ::: b` into tasks, each with its own words."""
    found: list[list[Word]] = [[]]
    for word in words:
        if word.text == ":::":
            found.append([])
        elif word.text != "--":
            found[-1].append(word)
    return [(each[0].text or "", each[1:]) for each in found if each]


_MISE_TASKS = ("mise-tasks", ".mise-tasks", ".mise/tasks", "mise/tasks", ".config/mise/tasks")
_MISE = ("mise.toml", ".mise.toml", "mise.local.toml", "mise/config.toml", ".mise/config.toml", ".config/mise.toml")


ROWS: dict[str, Program] = {
    **dict.fromkeys(("make", "gmake"), Program(does=make)),
    "just": Program(does=just),
    **dict.fromkeys(("task", "go-task"), Program(does=task)),
    "mise": Program(does=mise),
}

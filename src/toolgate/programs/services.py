"""Package registries: what is published there, or taken back."""

from collections.abc import Iterator

from toolgate.model.effect import Connect, Operation, Prints, Reported, Run
from toolgate.model.seen import Seen
from toolgate.model.word import Word, some

from .options import Flags
from .program import Program, via

NPM = Flags(
    "-g,--global --tag= --access= --dry-run --otp= -w,--workspace= --workspaces --registry= -D,--save-dev -S,--save -E --prefix= -C= --if-present --silent"
    " --ignore-scripts --force -f --no-audit --no-fund --legacy-peer-deps --omit= --include= --no-git-checks --yes -y -r,--recursive --filter= --frozen-lockfile"
)


def npm(argv: tuple[Word, ...], seen: Seen) -> Iterator[Reported]:
    """npm, pnpm, yarn: publishing and taking back."""
    given = NPM.read(argv)
    words = [word for word in given.operands if word.text not in ("npm",)]
    verb = words[0].text if words else None
    if verb in ("publish", "unpublish", "deprecate"):
        yield Operation(
            "package.publish",
            seen.origin,
            words[1] if len(words) > 1 else None,
            (("dry_run", given.flag("--dry-run")), ("removes", verb != "publish")),
        )
        yield Connect(given.value("--registry") or words[0], seen.origin)
    elif command := _carried(argv):
        yield Run(command, seen.origin, via(argv), sure=None)
    yield Prints(seen.output(via(argv)))


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


def publisher(*verbs: str) -> Program:
    """A package tool whose `verbs` make something public for good."""

    def does(argv: tuple[Word, ...], seen: Seen) -> Iterator[Reported]:
        given = Flags(
            "-n,--dry-run --allow-dirty -p,--package= --token= --registry= -r,--repository= -u,--username= --skip-existing -v,--verbose --yank --vers="
        ).read(argv)
        action = some(word.equals(*verbs) for word in given.operands[:1])
        if action is not False:
            yield Operation(
                "package.publish",
                seen.origin,
                given.operands[-1],
                (("dry_run", given.flag("--dry-run")), ("removes", given.flag("--yank"))),
            )
        yield Prints(seen.output(via(argv)))

    return Program(does=does)


ROWS: dict[str, Program] = {
    **dict.fromkeys(("npm", "pnpm", "yarn"), Program(does=npm)),
    "cargo": publisher("publish", "yank", "owner"),
    "twine": publisher("upload"),
    "gem": publisher("push", "yank"),
    "flit": publisher("publish"),
}

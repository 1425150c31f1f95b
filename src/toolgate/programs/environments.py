"""Tools that run a program in a project's environment: `uv run pytest`, `poetry run x`, `npx rimraf dist`.

GROWS: one row per tool: the verbs that run a command (`tool run`), its options, and its other effects.
"""

from collections.abc import Iterator

from toolgate.model.effect import Connect, Delete, Interpret, Reported, Run
from toolgate.model.seen import Seen
from toolgate.model.word import Word, known

from .options import Flags
from .packages import MANAGES
from .program import Program, via
from .python_environments import make
from .services import publisher
from .sources import lasting

ELSE = Program()  # a program without known effects


def runs(verbs: str, options: str, otherwise: Program = ELSE, *, skipped: int = 0) -> Program:
    """A tool that runs a command. `verbs`: the words before it, separated by `|`; none if it does nothing else. `skipped`:
    operands before the command, such as a folder."""
    flags = Flags(f"{options} -h,--help --version")
    carrying = [tuple(verb.split()) for verb in verbs.split("|")]

    def does(argv: tuple[Word, ...], seen: Seen) -> Iterator[Reported]:
        for verb in carrying:
            sure, rest = _after(argv, verb, flags)
            given = flags.read(rest, stop=True) if rest else None
            if given is None or given.flag("--help") is True:
                continue
            sure = sure and not (given.strange or given.open)
            command = rest[given.rest + skipped :]
            if command and command[0].text == "--":
                command = command[1:]
            if not verb and command and (command[0].starts("http://") is True or command[0].starts("https://") is True):
                yield Connect(command[0], seen.origin)
                yield Interpret("javascript", seen.output(f"what {command[0].shown} sends"), seen.origin, via=via(argv))
            elif code := given.value("--call"):
                yield Interpret("shell", code, seen.origin, via=f"{via(argv)} -c")
            elif module := given.value("--module"):
                yield Run((known("python"), known("-m"), module, *command), seen.origin, via(argv))
            elif command and verb == ("run",) and (command[0].text == "-" or (command[0].text or "").endswith(".py")):
                yield Run((known("python"), *command), seen.origin, via(argv))
            elif command:
                yield Run(command, seen.origin, via(argv), sure=True if sure else None)
            return
        yield from otherwise.effects(argv, seen)

    return Program(does=does)


def _after(argv: tuple[Word, ...], verb: tuple[str, ...], flags: Flags) -> tuple[bool, tuple[Word, ...]]:
    """Return the words after the verb, beginning with the verb's last word; nothing if the verb is another one."""
    sure = True
    for name in verb:
        given = flags.read(argv, stop=True)
        argv = argv[given.rest :]
        sure = sure and not (given.strange or given.open)
        if not argv or argv[0].text != name:
            return sure, ()
    return sure, argv


def rimraf(argv: tuple[Word, ...], seen: Seen) -> Iterator[Reported]:
    given = Flags(
        "-g,--glob -v,--verbose -i,--interactive -f,--force -n,--dry-run -q,-s,-S,-F,-P --impl= --tmp= --preserve-root --no-preserve-root --help --version"
    ).read(argv)
    for word in given.operands if given.flag("--dry-run") is not True else ():
        yield Delete(seen.place(word, follow=False), True, seen.origin)


UV = (
    "-p,--python= --with= --with-editable= --with-requirements= --from= --env-file= --no-env-file -m,--module= --project= --directory= --package="
    " --extra= --group= --only-group= --no-group= --no-extra= --all-extras --all-groups --no-dev --only-dev --dev --isolated --active --no-sync"
    " --locked --frozen --exact --refresh --refresh-package= -U,--upgrade -P,--upgrade-package= --reinstall --index= --index-url= --extra-index-url="
    " -i= -f,--find-links= --no-index --cache-dir= -n,--no-cache --offline -q,--quiet -v,--verbose --color= --no-progress --no-config --config-file="
    " -s,--script --gui-script --no-project --all-packages --no-editable --link-mode= --resolution= --prerelease= --native-tls --no-build --no-binary"
)
POETRY = "-C,--directory= -P,--project= -q,--quiet -n,--no-interaction --no-plugins --no-cache -v -vv -vvv --ansi --no-ansi"
CONDA = "-n,--name= -p,--prefix= --no-capture-output --live-stream -v,--verbose --dev --debug-wrapper-scripts --cwd="
NPX = "-y,--yes --no --no-install -p,--package= -c,--call= -q,--quiet --ignore-existing --prefer-offline --prefer-online --offline -w,--workspace= --workspaces"


def uv(argv: tuple[Word, ...], seen: Seen) -> Iterator[Reported]:
    verb = argv[1].text if len(argv) > 1 else None
    if verb == "venv":
        yield from make(argv[1:], seen)
    else:
        yield from (publisher("publish") if verb == "publish" else MANAGES).effects(argv, seen)


def _poetry(argv: tuple[Word, ...], seen: Seen) -> Iterator[Reported]:
    yield from lasting([word for word in argv[1:] if word.starts("-") is False], seen)
    yield from publisher("publish").effects(argv, seen)


ROWS: dict[str, Program] = {
    "uv": runs("run|tool run", UV, Program(does=uv)),
    "uvx": runs("", UV),
    "pipx": runs("run", "--spec= --no-cache --path --pip-args= --python= --verbose --pypackages -q,--quiet", MANAGES),
    "poetry": runs("run", POETRY, Program(does=_poetry)),
    "hatch": runs("run", "-e,--env= -v,--verbose -q,--quiet -p,--project=", publisher("publish")),
    "pdm": runs("run", "-p,--project= -s,--site-packages -v,--verbose -q,--quiet", publisher("publish")),
    "pipenv": runs("run", "--python= -v,--verbose -q,--quiet --bare --where"),
    "rye": runs("run", "-v,--verbose -q,--quiet --pyproject="),
    "conda": runs("run", CONDA, MANAGES),
    "mamba": runs("run", CONDA, MANAGES),
    "micromamba": runs("run", CONDA),
    "npx": runs("", NPX),
    "bunx": runs("", "--bun -y,--yes --silent --verbose -p,--package="),
    "bundle": runs("exec", "--keep-file-descriptors --gemfile= --verbose"),
    "asdf": runs("exec", ""),
    "direnv": runs("exec", "", skipped=1),
    **dict.fromkeys(("rimraf", "del-cli"), Program(does=rimraf, silent=True)),
    "shx": runs("", "-v,--verbose -s,--silent --noglob"),
}

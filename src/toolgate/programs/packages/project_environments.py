"""Tools that run a program in a project's environment: `uv run pytest`, `poetry run x`, `npx rimraf dist`.

GROWS: one row per tool: the verbs that run a command (`tool run`), its options, and its other effects.
"""

from collections.abc import Iterator

from toolgate.model.effect import Connect, Delete, Interpret, ReportedEffect, Run
from toolgate.model.execution_context import ExecutionContext
from toolgate.model.word import Word, known_word
from toolgate.programs.argv.options import Flags
from toolgate.programs.argv.program import Program, make_carrier

from .conda_environments import conda
from .managers import PACKAGE_MANAGER
from .python_environments import create_environment
from .registries import publish_by_verb
from .sources import find_persistent_sources, find_script_sources

UNKNOWN_PROGRAM = Program()  # a program without known effects


def environment_runner(verbs: str, options: str, otherwise: Program = UNKNOWN_PROGRAM, *, skipped: int = 0) -> Program:
    """A tool that runs a command. `verbs`: the words before it, separated by `|`; none if it does nothing else. `skipped`:
    operands before the command, such as a folder."""
    flags = Flags(f"{options} -h,--help --version")
    carrying = [tuple(verb.split()) for verb in verbs.split("|")]

    def report_effects(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
        for verb in carrying:
            sure, rest = _words_after_verb(argv, verb, flags)
            parsed_options = flags.parse(rest, stop=True) if rest else None
            if parsed_options is None or parsed_options.has_flag("--help") is True:
                continue
            sure = sure and not (parsed_options.strange or parsed_options.open)
            command = rest[parsed_options.rest + skipped :]
            if command and command[0].text == "--":
                command = command[1:]
            if not verb and command and (command[0].starts_with("http://") is True or command[0].starts_with("https://") is True):
                yield Connect(command[0], context.origin)
                yield Interpret(
                    "javascript",
                    context.unknown_output(f"the response of {command[0].display_text}"),
                    context.origin,
                    via=make_carrier(argv),
                )
            elif code := parsed_options.value_of("--call"):
                yield Interpret("shell", code, context.origin, via=make_carrier(argv, "-c"))
            elif module := parsed_options.value_of("--module"):
                yield Run((known_word("python"), known_word("-m"), module, *command), context.origin, make_carrier(argv))
            elif command and verb == ("run",) and (command[0].text == "-" or (command[0].text or "").endswith(".py")):
                yield from find_script_sources(command[0], context)
                yield Run((known_word("python"), *command), context.origin, make_carrier(argv))
            elif command:
                yield Run(command, context.origin, make_carrier(argv), sure=True if sure else None)
            return
        yield from otherwise.effects_of_call(argv, context)

    return Program(does=report_effects)


def _words_after_verb(argv: tuple[Word, ...], verb: tuple[str, ...], flags: Flags) -> tuple[bool, tuple[Word, ...]]:
    """Returns the words after the verb, beginning with the verb's last word; nothing if the verb is another one."""
    sure = True
    for name in verb:
        options = flags.parse(argv, stop=True)
        argv = argv[options.rest :]
        sure = sure and not (options.strange or options.open)
        if not argv or argv[0].text != name:
            return sure, ()
    return sure, argv


def rimraf(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    options = Flags(
        "-g,--glob -v,--verbose -i,--interactive -f,--force -n,--dry-run -q,-s,-S,-F,-P --impl= --tmp= --preserve-root --no-preserve-root --help --version"
    ).parse(argv)
    for word in options.operands if options.has_flag("--dry-run") is not True else ():
        yield Delete(context.resolve_place(word, follow=False), True, context.origin)


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


def uv(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    verb = argv[1].text if len(argv) > 1 else None
    if verb == "venv":
        yield from create_environment(argv[1:], context)
    else:
        yield from (publish_by_verb("publish") if verb == "publish" else PACKAGE_MANAGER).effects_of_call(argv, context)


def _poetry(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    yield from find_persistent_sources([word for word in argv[1:] if word.starts_with("-") is False], context)
    yield from publish_by_verb("publish").effects_of_call(argv, context)


ROWS: dict[str, Program] = {
    "uv": environment_runner("run|tool run", UV, Program(does=uv)),
    "uvx": environment_runner("", UV),
    "pipx": environment_runner(
        "run", "--spec= --no-cache --path --pip-args= --python= --verbose --pypackages -q,--quiet", PACKAGE_MANAGER
    ),
    "poetry": environment_runner("run", POETRY, Program(does=_poetry)),
    "hatch": environment_runner(
        "run", "-e,--env= -v,--verbose -q,--quiet -p,--project=", publish_by_verb("publish", dry="--dry-run")
    ),
    "pdm": environment_runner("run", "-p,--project= -s,--site-packages -v,--verbose -q,--quiet", publish_by_verb("publish")),
    "pipenv": environment_runner("run", "--python= -v,--verbose -q,--quiet --bare --where"),
    "rye": environment_runner("run", "-v,--verbose -q,--quiet --pyproject="),
    **dict.fromkeys(("conda", "mamba", "micromamba"), environment_runner("run", CONDA, Program(does=conda))),
    "npx": environment_runner("", NPX),
    "bunx": environment_runner("", "--bun -y,--yes --silent --verbose -p,--package="),
    "bundle": environment_runner("exec", "--keep-file-descriptors --gemfile= --verbose"),
    "asdf": environment_runner("exec", ""),
    "direnv": environment_runner("exec", "", skipped=1),
    **dict.fromkeys(("rimraf", "del-cli"), Program(does=rimraf, silent=True)),
    "shx": environment_runner("", "-v,--verbose -s,--silent --noglob"),
}

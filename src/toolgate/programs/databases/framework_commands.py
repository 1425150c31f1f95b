"""Commands that a project adds to its framework's program: those of Django's apps, of a Flask application, of Laravel and of Mix,
and the seeds of Prisma."""

import re
from collections.abc import Iterator

from toolgate.model.effect import Carrier, Interpret, ReportedEffect, Run
from toolgate.model.execution_context import ExecutionContext
from toolgate.model.word import Word, glob_hole, known_word
from toolgate.programs.argv.options import Flags
from toolgate.programs.argv.program import Program, make_carrier

_RUNS_COMMAND = """

import argparse, sys
_parser = argparse.ArgumentParser()
_command = Command()
_command.add_arguments(_parser)
_command.handle(**vars(_parser.parse_args(sys.argv[2:])))
"""
"""What Django does with a command's class."""
_GROUPING_FOLDERS = ("apps", "src", "backend", "server", "api", "project", "web")
_MAX_FOLDERS = 40
_FLASK_OPTIONS = Flags("-A,--app= -e,--env-file= --debug --no-debug --version --help")
_FLASK_VARIABLES = (".env", ".flaskenv")
_FLASK_FILES = ("wsgi", "app")


def run_django_command(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    """`manage.py NAME`: runs the class in `APP/management/commands/NAME.py`."""
    name = argv[1].text if len(argv) > 1 else None
    if name is None or not name.replace("-", "_").isidentifier():
        return
    for folder in _list_app_folders(context):
        path = f"{folder}/management/commands/{name}.py"
        for text in context.read_alternatives(known_word(path)):
            code = text + known_word(_RUNS_COMMAND) if text.text is not None else text
            yield Interpret("python", code, context.origin, argv, Carrier("manage.py", name), file=path)


def _list_app_folders(context: ExecutionContext) -> Iterator[str]:
    """Yields folders in which apps usually are: those of the current folder, and those in folders that group them."""
    for folder in _list_folders(".", context):
        yield folder
        if folder.rpartition("/")[2] in _GROUPING_FOLDERS:
            yield from _list_folders(folder, context)


def _list_folders(within: str, context: ExecutionContext) -> Iterator[str]:
    paths = context.list_files(Word((f"{within}/", glob_hole("*"))))
    yield from [path for path in paths if "." not in path.rpartition("/")[2]][:_MAX_FOLDERS]


def run_flask_command(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    """`flask --app wsgi NAME`: runs the command that the application's file declares by that name."""
    options = _FLASK_OPTIONS.parse(argv, stop=True)
    words = argv[options.rest :]
    chosen = options.value_of("--app") or context.get_variable("FLASK_APP")
    names = (chosen.outline.partition(":")[0].removesuffix(".py").replace(".", "/"),) if chosen is not None else _FLASK_FILES
    for name in names if words and words[0].text not in _OWN_COMMANDS else ():
        for path in (f"{name}.py", f"{name}/__init__.py"):
            for text in context.read_alternatives(known_word(path)):
                code = _load_variables(options.value_of("--env-file"), context) + text
                yield Interpret("python", code, context.origin, (known_word(path), *words), Carrier("flask"), file=path)


def _load_variables(given: Word | None, context: ExecutionContext) -> Word:
    """Returns the code with which Flask loads the variables of its files before the application."""
    named = (given,) if given is not None else ()
    files = [file.text for file in (*named, *map(known_word, _FLASK_VARIABLES)) if file.text and context.read_alternatives(file)]
    loads = "".join(f"load_dotenv({file!r})\n" for file in files)
    return known_word(f"from dotenv import load_dotenv\n{loads}" if loads else "")


_OWN_COMMANDS = ("run", "routes", "shell", "db")

DJANGO_COMMAND, FLASK_COMMAND = Program(does=run_django_command), Program(does=run_flask_command)


# ---- Laravel, Mix, Prisma


_SIGNATURE = r"\$signature\s*=\s*[\"']\s*{name}(?=[\s\"'{{])"
_CLASS = re.compile(r"^(?P<start>(?:final\s+|abstract\s+)*class\s+)(?P<name>\w+)", re.MULTILINE)
_LARAVEL_COMMANDS = ("app/Console/Commands", "src/Console/Commands")
_MAX_COMMANDS = 60


def run_laravel_command(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    """`artisan NAME`: runs the class in `app/Console/Commands` whose signature has this name."""
    name = argv[1].text if len(argv) > 1 else None
    if name is None or name.startswith("-") or "--help" in [word.text for word in argv]:
        return
    declares = re.compile(_SIGNATURE.format(name=re.escape(name))).search
    paths = [path for folder in _LARAVEL_COMMANDS for path in _list_php_files(folder, context)]
    for path in paths[:_MAX_COMMANDS]:
        for text in context.read_alternatives(known_word(path)):
            if text.text is not None and declares(text.text):
                code = known_word(_start_laravel_command(text.text, argv[2:]), text.src)
                yield Interpret("php", code, context.origin, (known_word(path), *argv[2:]), Carrier("artisan", name), file=path)


def _list_php_files(folder: str, context: ExecutionContext) -> Iterator[str]:
    for within in (folder, f"{folder}/*"):
        start, glob, _ = within.partition("*")
        parts = (start, glob_hole("*"), "/", glob_hole("*"), ".php") if glob else (f"{within}/", glob_hole("*"), ".php")
        yield from context.list_files(Word(parts))


def _start_laravel_command(text: str, arguments: tuple[Word, ...]) -> str:
    """Returns a command's class as Laravel runs it: with a base class that knows the options of the command line."""
    found = _CLASS.search(text)
    if found is None:
        return text
    given = [word.text or "" for word in arguments]
    options = [_describe_option(word) for word in given if word.startswith("--") and len(word) > 2]
    base = _COMMAND_CLASS.format(options=", ".join(options))
    return f"{text[: found.start()]}{base}\n{text[found.start() :]}\n$_command = new {found['name']}();\n$_command->handle();\n"


def _describe_option(word: str) -> str:
    name, attached, value = word[2:].partition("=")
    quoted = value.replace("\\", "\\\\").replace("'", "\\'")
    given = f"'{quoted}'" if attached else "true"
    return f"'{_UNSAFE.sub('', name)}' => {given}"


_UNSAFE = re.compile(r"[^\w-]")
_COMMAND_CLASS = """class Command {{
    public function option($name = null) {{ $given = [{options}]; return $given[$name] ?? null; }}
}}"""


def run_mix_task(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    """`mix NAME`: runs the module in `lib/mix/tasks/NAME.ex`; `mix do A + B`, `mix do A, B`: each task."""
    name = argv[1].text if len(argv) > 1 else None
    if name == "do":
        task: list[Word] = []
        for word in (*argv[2:], known_word("+")):
            ends = word.text == "+" or word.tail.endswith(",")
            task += [] if word.text == "+" else [known_word(word.tail[:-1])] if word.text is not None and ends else [word]
            if ends and task:
                yield Run((argv[0], *task), context.origin, Carrier("mix", "do"))
                task = []
        return
    if name is None or _TASK_NAME.fullmatch(name) is None:
        return
    for task_of_alias in _list_alias(name, context):
        yield Run((argv[0], *task_of_alias), context.origin, Carrier("mix", name))
    for path in (f"lib/mix/tasks/{name}.ex", f"lib/mix/tasks/{name.replace('.', '/')}.ex"):
        for text in context.read_alternatives(known_word(path)):
            yield Interpret("beam", text, context.origin, argv[1:], Carrier("mix", name), file=path)


def _list_alias(name: str, context: ExecutionContext) -> Iterator[tuple[Word, ...]]:
    """Yields the tasks that an alias of `mix.exs` stands for: `setup: ["deps.get", "ecto.reset"]`. An alias may go by the name of
    a task, which it then calls itself."""
    quoted = re.escape(name)
    for text in context.read_alternatives(known_word("mix.exs")):
        for found in re.finditer(rf"(?<![\w.\"])(?:{quoted}|\"{quoted}\"):\s*\[([^\]]{{0,2000}})\]", text.text or ""):
            for task in re.findall(r"\"([^\"\\#]{1,200})\"", found[1]):
                words = tuple(known_word(word, text.src) for word in task.split())
                if words and words[0].text != name:
                    yield words


_TASK_NAME = re.compile(r"[a-z][\w.]*")


def seed_by_prisma(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    """`prisma db seed`, and `prisma migrate reset`: run the command that package.json or prisma.config.ts names."""
    words = [word.text for word in argv[1:3]]
    if words not in (["db", "seed"], ["migrate", "reset"]) or any(word.text in ("--help", "-h", "--skip-seed") for word in argv):
        return
    for file, pattern in _SEEDS:
        for text in context.read_alternatives(known_word(file)):
            found = pattern.search(text.text or "")
            if found is not None:
                yield Interpret("shell", known_word(found["command"], text.src), context.origin, via=Carrier("prisma", "seed"))
                return


_SEEDS = (
    ("package.json", re.compile(r"\"prisma\"\s*:\s*\{[^{}]*\"seed\"\s*:\s*\"(?P<command>[^\"\\]+)\"")),
    *(
        (f"prisma.config.{ending}", re.compile(r"\bseed\s*:\s*[\"'`](?P<command>[^\"'`\\]+)[\"'`]"))
        for ending in ("ts", "mts", "js", "mjs")
    ),
)


def set_rails_environment(program: Program) -> Program:
    """Returns a program of Rails whose `runner -e production` runs with the variable that names the environment."""

    def report_effects(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
        chosen = _split_environment(argv) if len(argv) > 2 and argv[1].text in _RUNNERS else None
        if chosen is None:
            yield from program.effects_of_call(argv, context)
            return
        rest, environment = chosen
        yield Run(rest, context.origin, make_carrier(argv, "-e"), env=(("RAILS_ENV", environment),))

    return Program(does=report_effects)


_RUNNERS = ("runner", "r")


def _split_environment(argv: tuple[Word, ...]) -> tuple[tuple[Word, ...], Word] | None:
    """Returns a command line without the option that names the environment, and its value; None without that option."""
    for at, word in enumerate(argv[2:], 2):
        name, attached, value = word.partition("=")
        if name.text in ("-e", "--environment") and (attached or at + 1 < len(argv)):
            return ((*argv[:at], *argv[at + 1 :]), value) if attached else ((*argv[:at], *argv[at + 2 :]), argv[at + 1])
        if word.starts_with("-") is not True:
            return None
    return None


LARAVEL_COMMAND, MIX_TASK = Program(does=run_laravel_command), Program(does=run_mix_task)

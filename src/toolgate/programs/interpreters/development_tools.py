"""Editors, debuggers, test runners and watchers: the code and commands in their arguments."""

import re
from collections.abc import Iterable, Iterator

from toolgate.environment_files import read_assignments
from toolgate.model.effect import Carrier, Environment, Interpret, Operation, PrintedOutput, Read, ReportedEffect, Run, Write
from toolgate.model.execution_context import ExecutionContext
from toolgate.model.word import Word, glob_hole, known_word, pipe_content
from toolgate.programs.argv.conventions import guess_writes
from toolgate.programs.argv.options import Flags
from toolgate.programs.argv.program import Program, join_arguments, make_carrier, program_name
from toolgate.programs.tasks.steps import package_scripts
from toolgate.programs.tasks.task_files import find_nearest

from .script_interpreters import run_script_file

_EMPTIES_AND_WRITES = re.compile(r"(?:^|[\s|:])(?:%|1,\$)d(?:elete)?\b.*(?:wq?|x(?:it)?|up(?:date)?)!?(?=\s|\||$)")
"""Ex commands that delete every line, and write the file."""


def gdb_or_lldb(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    """gdb and lldb: `-ex '!cmd'`, `-ex 'shell cmd'`, and the program after --args."""
    options = Flags(
        "-ex,--eval-command= -iex= -x,--command=read -ix,--init-command=read -batch -q -p= --args -n -nx -quiet -o= -O= -s=read"
    ).parse(argv, stop=True)
    for code in options.values_of("--eval-command", "-iex", "-o", "-O"):
        yield Interpret("gdb", code, context.origin, via=make_carrier(argv, "-ex"))
    rest = argv[options.rest :]
    numbers = (
        () if options.has_flag("--args") is True else (word for word in rest[1:2] if word.text is None or word.text.isdigit())
    )
    for process in (*options.values_of("-p"), *numbers):
        yield Operation("process.attach", context.origin, process)
    if options.has_flag("--args") is True and rest:
        yield Run(tuple(rest), context.origin, make_carrier(argv))


def gcore(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    """gcore writes the memory of running processes to files, with the keys and passwords in it."""
    options = Flags("-a -o= -d=").parse(argv)
    for process in options.operands:
        yield Operation("process.attach", context.origin, process)
        yield Operation("credential.print", context.origin, known_word("the memory of a process"))


def vi(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    """vi and its variants: `-c ':!cmd'` runs a command, `-c 'w file'` writes a file."""
    silent = "-s" if program_name(argv) == "ex" else "-s=read"
    options = Flags(
        f"-c,--cmd= -S= {silent} -u=read -e -E -n -R -N -d -O -p -o -t= -T= -w= -i= --clean --noplugin --not-a-term --version --help -es -Es"
    ).parse(argv)
    batch = (
        options.has_flag("-e", "-E", "-es", "-Es") is not False or program_name(argv) == "ex"
    )  # commands come from standard input
    commands = [*options.values_of("--cmd"), *(word.drop_first(1) for word in options.operands if word.starts_with("+") is True)]
    for code in commands:
        yield Interpret("vim", code, context.origin, via=make_carrier(argv, "-c"))
    typed = options.values_of("-s") if program_name(argv) != "ex" else ()
    for file in (*options.values_of("-S"), *typed):
        yield from run_script_file("vim", file, (), context)
    if batch and context.stdin.parts:
        yield Interpret("vim", context.stdin, context.origin, via=make_carrier(argv, "<stdin"))
    for file in options.operands:
        if file.starts_with("+") is not True:
            yield Read(context.resolve_place(file), context.origin)
            if _EMPTIES_AND_WRITES.search(" ".join(word.text or "" for word in commands)):
                yield Run((known_word("truncate"), known_word("-s0"), file), context.origin, make_carrier(argv))
            elif commands or batch:
                yield Run((known_word("touch"), file), context.origin, make_carrier(argv))


def ed(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    """ed reads commands from standard input, which mostly end with `w`."""
    for file in Flags("-s,--quiet,--silent -p,--prompt= -r -E -l -v -G --version --help").parse(argv).operands:
        yield Read(context.resolve_place(file), context.origin)
        yield Write(context.resolve_place(file), None, False, context.origin)
    for line in (context.stdin.text or "").split("\n"):
        command = re.match(r"\s*[0-9,$]*\s*(?:!|[rew]\s+!)(.+)", line)
        if command:
            yield Interpret("shell", known_word(command[1]), context.origin, via=make_carrier(argv, "!"))


def concurrently(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    """concurrently runs one command line per word; `npm:dev` is a script of the package."""
    options = CONCURRENTLY.parse(argv)
    for word in options.operands:
        tool, colon, task = (word.text or "").partition(":")
        if colon and tool in ("npm", "pnpm", "yarn", "bun", "node", "deno"):
            for name in match_scripts(task, context):
                yield Run((known_word(tool), known_word("run"), known_word(name)), context.origin, make_carrier(argv))
        else:
            yield Interpret("shell", word, context.origin, via=make_carrier(argv))


def run_named_scripts(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    """`run-s build "deploy:*"` of npm-run-all runs scripts of the package."""
    options = _RUN_ALL.parse(argv)
    for word in options.operands:
        pattern = "".join(part if isinstance(part, str) else part.like for part in word.parts)
        for name in match_scripts(pattern.split(" ")[0], context):
            yield Run((known_word("npm"), known_word("run"), known_word(name)), context.origin, make_carrier(argv))


def match_scripts(pattern: str, context: ExecutionContext) -> list[str]:
    """Returns the scripts of the nearest package that a pattern names: `*` stands for one part of a name, `**` for any number."""
    if "*" not in pattern:
        return [pattern]
    parts = (".*" if part == "**" else "[^:]*" if part == "*" else re.escape(part) for part in re.split(r"(\*+)", pattern))
    matches = re.compile("".join(parts)).fullmatch
    files = find_nearest(("package.json",), None, context)
    return [name for file in files for name in package_scripts(file.text) or {} if matches(name)]


_RUN_ALL = Flags(
    "-c,--continue-on-error -l,--print-label -n,--print-name -s,--silent -p,--parallel -S,--sequential -r,--race"
    " --aggregate-output --max-parallel= --npm-path= -h,--help -v,--version"
)
CONCURRENTLY = Flags(
    "-n,--names= -m,--max-processes= --name-separator= -s,--success= -r,--raw --no-color --hide= -g,--group --timings -P -p,--prefix="
    " -c,--prefix-colors= -l,--prefix-length= -t,--timestamp-format= -k,--kill-others --kill-others-on-fail --kill-signal="
    " --restart-tries= --restart-after= -i,--handle-input --default-input-target= -h,--help -V,--version"
)
HYPERFINE = Flags(
    "-w,--warmup= -m,--min-runs= -M,--max-runs= -r,--runs= -s,--setup=code -p,--prepare=code -c,--cleanup=code -C,--conclude=code"
    " -P,--parameter-scan= -L,--parameter-list= -S,--shell= -N -i,--ignore-failure --style= --export-json=write --export-markdown=write"
    " --export-csv=write --show-output --output= --input= -n,--command-name= -u,--time-unit= -h,--help -V,--version"
)


def nodemon(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    """nodemon runs a script, or the command of `--exec`."""
    options = Flags(
        "-x,--exec=code -e,--ext= -w,--watch= -i,--ignore= -d,--delay= -L,--legacy-watch -q,--quiet -V,--verbose -C,--on-change-only"
        " -s,--signal= -I,--no-stdin --config= --cwd= --inspect=? -h,--help -v,--version"
    ).parse(argv, stop=True)
    for code in options.values_of("--exec"):
        yield Interpret("shell", code, context.origin, via=make_carrier(argv, "--exec"))
    if not options.values and options.operands:
        yield Run((known_word("node"), *argv[options.rest :]), context.origin, make_carrier(argv))


def watch_program(options: str, shell: str) -> Program:
    """Tools that run the rest of argv on every change. `shell`: options that pass it to a shell."""
    flags, names = Flags(f"{options} {shell} -h,--help -V,--version"), [name for name in shell.split() if "=" not in name]

    def report_effects(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
        parsed_options = flags.parse(argv, stop=True)
        rest = list(argv[parsed_options.rest :])
        if len(rest) == 1 or any(parsed_options.has_flag(name) is True for name in names):
            yield Interpret("shell", join_arguments(rest), context.origin, via=make_carrier(argv))
        elif rest:
            yield Run(
                tuple(rest),
                context.origin,
                make_carrier(argv),
                sure=None if parsed_options.strange or parsed_options.open else True,
            )

    return Program(does=report_effects)


TEST_RUNNERS = (
    "pytest py.test jest vitest mocha ava rspec phpunit ctest golangci-lint gotestsum mypy pyright"
    " flake8 pylint xcodebuild ninja meson bazel sbt"
)
"""They run code of the project; their arguments name tests, files or targets, not commands."""

GO_RUN = Flags(
    "-C= -exec= -a -n -race -msan -asan -cover -v -work -x -p= -buildmode= -buildvcs=? -compiler= -gcflags= -ldflags= -mod= -modfile= -overlay= -pgo= -tags="
    " -toolexec= -vettool= -trimpath"
)


def go(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    """`go run FILE..` runs the given source, and `go run ./FOLDER` the package in it. Three options name a program that runs the
    built program, or wraps the toolchain."""
    options = GO_RUN.parse(argv[1:])
    for program in options.values_of("-vettool"):
        yield Run((program,), context.origin, Carrier("go", "-vettool"))
    for option in ("-exec", "-toolexec"):
        for code in options.values_of(option):
            yield Interpret("shell", code, context.origin, via=Carrier("go", option))
    if len(argv) > 1 and argv[1].text == "run":
        operands = argv[1 + GO_RUN.parse(argv[1:], stop=True).rest :]
        end = next(
            (n for n, word in enumerate(operands) if not word.tail.endswith(".go") and pipe_content(word) is None), len(operands)
        )
        files = operands[:end] or _find_main_files(operands, context)
        arguments = tuple(operands[max(0, end - 1) :])
        for file in files:
            yield from run_script_file("go", file, arguments, context)
        yield PrintedOutput(context.unknown_output("go"))
    else:
        yield from guess_writes(argv, context)


def _find_main_files(operands: tuple[Word, ...], context: ExecutionContext) -> tuple[Word, ...]:
    """Returns the file of a package that declares `main`. The others are read with it."""
    folder = operands[0] if operands else known_word("")
    if not _GO_FOLDER.match(folder.text or "") or (top := context.resolve_place(folder).path) is None:
        return ()
    listed = (*context.list_files(Word((f"{top}/", glob_hole("*")))), *context.list_written_files(top))
    sources = [each for each in dict.fromkeys(listed) if each.rpartition("/")[0] == top and each.endswith(".go")]
    for path in (each for each in sources[:_MOST_GO_FILES] if not each.endswith("_test.go")):
        if any(_GO_MAIN.search(each.text or "") for each in context.read_alternatives(known_word(path))):
            return (known_word(path),)
    return ()


_GO_FOLDER = re.compile(r"\.{0,2}/|\.{1,2}$")
_GO_MAIN = re.compile(r"^func main\(\)", re.MULTILINE)
_MOST_GO_FILES = 64


def cmake(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    """`cmake -E NAME`: shell tools under CMake's own names."""
    if len(argv) > 2 and argv[1].text == "-E":
        rest = argv[3:]
        tool = _CMAKE.get(argv[2].text or "")
        if argv[2].text == "chdir" and len(rest) > 1:
            yield Run(rest[1:], context.origin, Carrier("cmake", "-E chdir"), cwd=rest[0])
        elif tool is not None and rest:
            yield Run(
                (*(known_word(word) for word in tool.split()), *rest), context.origin, Carrier("cmake", f"-E {argv[2].text}")
            )
    else:
        yield from guess_writes(argv, context)


_CMAKE = {
    "rm": "rm",
    "remove": "rm",
    "remove_directory": "rm -r",
    "copy": "cp",
    "copy_if_different": "cp",
    "copy_directory": "cp -r",
    "copy_directory_if_different": "cp -r",
    "rename": "mv",
    "touch": "touch",
    "make_directory": "mkdir -p",
    "create_symlink": "ln -s",
    "create_hardlink": "ln",
    "tar": "tar",
    "env": "env",
    "time": "time",
    "cat": "cat",
    "echo": "echo",
}


def dotenv(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    """`dotenv -f FILE run COMMAND` and `dotenv COMMAND` run a command; `dotenv list` and `dotenv get` print values."""
    options = _DOTENV.parse(argv, stop=True)
    verb = options.operands[0].text if options.operands else None
    if argv[0].file_name == "dotenv" and verb in ("list", "get"):
        yield Read(context.resolve_place(options.value_of("-f", "--file") or known_word(".env")), context.origin)
        yield PrintedOutput(context.unknown_output("dotenv"))
    else:
        files = tuple(options.values_of("-e", "--file")) or (known_word(".env"),)
        program = Program(_DOTENV, "data command" if verb == "run" else "command")
        yield from add_variables_of_files(program.effects_of_call(argv, context), files, context)


def add_variables_of_files(
    effects: Iterator[ReportedEffect], files: Iterable[Word], context: ExecutionContext
) -> Iterator[ReportedEffect]:
    """Adds the variables of environment files to the commands that are started, unless they are set already."""
    found = read_assignments(files, context)
    added = tuple((name, value) for name, value in found.items() if not context.get_variables(name))
    yield from (Environment(name, value, context.origin) for name, value in added)
    yield from (each._replace(env=(*added, *each.env)) if isinstance(each, Run) else each for each in effects)


def env_cmd(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    """`env-cmd -f FILE COMMAND`."""
    files = tuple(_ENV_CMD.parse(argv, stop=True).values_of("--file")) or (known_word(".env"),)
    yield from add_variables_of_files(Program(_ENV_CMD, "command").effects_of_call(argv, context), files, context)


_ENV_CMD = Flags("-f,--file= -e,--environments= -r,--rc-file= --no-override --silent --fallback -x,--expand-envs")


_DOTENV = Flags("-e= -f,--file,--env-file= -c=? -p= -o -v= -q,--quiet --debug --override")
ROWS: dict[str, Program] = {
    "go": Program(does=go),
    "cmake": Program(does=cmake),
    **dict.fromkeys(TEST_RUNNERS.split(), Program(does=guess_writes)),
    "hyperfine": Program(HYPERFINE, "code*"),
    **dict.fromkeys(("concurrently", "conc"), Program(does=concurrently)),
    **dict.fromkeys(("run-s", "run-p", "npm-run-all", "npm-run-all2"), Program(does=run_named_scripts)),
    "nodemon": Program(does=nodemon),
    "entr": watch_program("-a -c -d -n -p -r -z -x", "-s"),
    "watchexec": watch_program(
        "-w,--watch= -e,--exts= -f,--filter= -i,--ignore= -r,--restart -c,--clear -d,--debounce= -s,--signal= -p,--postpone -q,--quiet -v,--verbose"
        " -n -1 --no-vcs-ignore --no-project-ignore --on-busy-update= --shell= -N,--notify --poll=? --stop-signal=",
        "",
    ),
    "reflex": watch_program(
        "-r,--regex= -R,--inverse-regex= -g,--glob= -G,--inverse-glob= -s,--start-service -c,--config= -d,--decoration= --all", ""
    ),
    "cross-env": Program(Flags("-h,--help"), "assignments* command"),
    "cross-env-shell": Program(Flags("-h,--help"), "assignments* code"),
    "env-cmd": Program(does=env_cmd),
    **dict.fromkeys(("dotenv", "dotenvx"), Program(does=dotenv)),
    **dict.fromkeys(("ed", "red"), Program(does=ed)),
    **dict.fromkeys(("gdb", "lldb"), Program(does=gdb_or_lldb)),
    "gcore": Program(does=gcore),
    **dict.fromkeys(("vim", "vi", "nvim", "view", "ex", "rvim", "rview", "vimdiff", "gvim"), Program(does=vi)),
}

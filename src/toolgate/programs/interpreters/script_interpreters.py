"""Programs that run code: from an option, a file or standard input."""

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise

from toolgate.model.effect import Carrier, Connect, Interpret, Operation, Read, ReportedEffect, Run, Write
from toolgate.model.execution_context import ExecutionContext
from toolgate.model.place import LOCAL
from toolgate.model.shells import POSIX_SHELLS
from toolgate.model.word import EMPTY, Word, join_words, known_word, pipe_content, unknown_word
from toolgate.programs.argv.options import Flags, ParsedOptions
from toolgate.programs.argv.program import Program, combine_programs, join_arguments, make_carrier, program_name
from toolgate.programs.interpreters.environment_options import load_environment_files
from toolgate.programs.interpreters.line_edits import edit_by_perl
from toolgate.programs.interpreters.script_paths import complete_script_path, program_of_script
from toolgate.programs.interpreters.shell_options import code_of_options, parse_shell_options
from toolgate.programs.launchers.simulated_input import osascript_keystrokes
from toolgate.programs.network.exposed_servers import server_mode


def shell(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    options = parse_shell_options(argv)
    if options.has_flag("--help", "--version", "-n") is True:  # -n: only checks the syntax
        return
    name = program_name(argv)
    for file in options.values_of("--rcfile", "--init-file"):
        yield from run_script_file("shell", file, (), context)
    for start in context.get_variables("ENV") if options.has_flag("-i") is True and name != "bash" else ():
        yield from run_script_file("shell", start, (), context)
    operands = list(argv[options.rest :])
    if (options.open or options.has_flag("-c") is None) and not _is_script_path(argv, options.rest):
        yield Interpret("shell", unknown_word(f"{name} with unknown options"), context.origin, via=Carrier(name))
    if operands and operands[0].text == "-":  # ends the options, as `--` does
        operands.pop(0)
    if options.has_flag("-c") is True:
        if operands and operands[0].text == "--":
            operands.pop(0)
        if operands:
            code = code_of_options(options) + operands[0]
            yield Interpret("shell", code, context.origin, tuple(operands[1:]), Carrier(name, "-c"))
    elif operands and options.has_flag("-s") is not True:
        yield from run_script_file("shell", operands[0], tuple(operands), context, code_of_options(options))
    else:
        yield Interpret("shell", context.stdin, context.origin, (argv[0], *operands), Carrier(name, "<stdin"))


def _is_script_path(argv: tuple[Word, ...], at: int) -> bool:
    """Returns whether only known words precede a quoted word with a slash after its unknown start. No shell option has a slash."""
    word = argv[at] if at < len(argv) else known_word("")
    return "/" in word.tail and not word.splits and all(each.text is not None for each in argv[:at])


def run_script_file(
    language: str, file: Word, args: tuple[Word, ...], context: ExecutionContext, before: Word = EMPTY
) -> Iterator[ReportedEffect]:
    """Interprets the code of a file, or the output of `<(...)`. `before`: what is run before it."""
    if (printed := pipe_content(file)) is not None:
        yield Interpret(language, printed, context.origin, args, Carrier("<(...)"))
        return
    if file.starts_with("http://") is True or file.starts_with("https://") is True:
        yield Connect(file, context.origin)
        yield Interpret(
            language,
            context.unknown_output(f"the response of {file.display_text}"),
            context.origin,
            args,
            Carrier(file.display_text),
        )
        return
    if file.text in ("/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"):
        yield Interpret(language, context.stdin, context.origin, args, Carrier(file.display_text))
        return
    file = complete_script_path(language, file, context)
    place = context.resolve_place(file)
    yield Read(place, context.origin)
    for code in context.read_alternatives(file):
        if code.text is None and place.machine != LOCAL:
            continue  # a script on another machine belongs to that machine
        yield Interpret(language, before + code, context.origin, args, Carrier(file.display_text), file=file.display_text)


def _end_of_own_options(argv: tuple[Word, ...]) -> int:
    """Returns where a module's own arguments begin: `python -m NAME` ends the options, and so does `-c CODE`."""
    for n, word in enumerate(argv[1:], 1):
        if word.starts_with("-") is not True or word.text in ("-", "--"):
            return len(argv)
        if word.tail[-1:] in ("m", "c") and not word.head.startswith("--"):
            return min(n + 2, len(argv))
    return len(argv)


def _split_digit_clusters(argv: tuple[Word, ...], letters: str) -> tuple[Word, ...]:
    """Splits clusters after letters with digits: `-0777pi.bak` becomes `-0777 -pi.bak`."""
    words = [argv[0]]
    for n, word in enumerate(argv[1:], 1):
        if word.starts_with("-") is not True or word.text == "--":
            return (*words, *argv[n:])
        rest = word
        while (cut := re.match(rf"-[acnpswWtTuU]*[{letters}](?:x[0-9a-fA-F]+|[0-9]*)(?=[A-Za-z])", rest.head)) is not None:
            words.append(known_word(cut[0], word.src))
            rest = known_word("-", word.src) + rest.drop_first(cut.end())
        words.append(rest)
        if rest.tail[-1:] in ("e", "E"):
            return (*words, *argv[n + 1 :])
    return tuple(words)


def _as_one_program(language: str, codes: list[tuple[str, Word]]) -> list[tuple[str, Word]]:
    """Several codes of one command line: lines of one program; of PHP what comes before, for and after each line of input."""
    gap = _GAPS.get(language)
    if gap is None or len(codes) < 2:
        return codes
    in_order = sorted(codes, key=lambda code: _ORDER.find(code[0])) if language == "php" else codes
    return [(codes[0][0], join_words([code for _, code in in_order], gap))]


_GAPS = {"perl": "\n", "ruby": "\n", "php": ";\n", "applescript": "\n"}
_ORDER = "-B -R -r -E"


def interpreter_program(
    language: str,
    code_options: str,
    flags: Flags,
    *,
    modules: str = "",
    edit: Callable[[ParsedOptions, Word], Word | None] | None = None,
    checks: str = "",
    digits: str = "",
) -> Program:
    """`code_options`: options whose value is code. `modules`: the option that names a module instead of a file. `edit`: `-i`
    makes it write its operands, with this text if it is known. `checks`: with this option it reads them, and runs nothing. `digits`: letters of a
    cluster that take only the digits after them (`perl -0777pi`)."""

    def report_effects(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
        argv = _split_digit_clusters(argv, digits) if digits else argv
        end = _end_of_own_options(argv) if modules else len(argv)
        options = flags.parse(argv[:end], stop=True)
        if options.has_flag("--help", "--version") is True:
            return
        operands = argv[options.rest :]
        if checks and options.has_flag(checks) is True:
            yield from (Read(context.resolve_place(word), context.origin) for word in operands)
            return
        names = code_options.split()
        if edit is not None and options.has_flag("-i") is not False:
            for word in operands if any(name in names for name, _ in options.values) else operands[1:]:
                yield Write(context.resolve_place(word), edit(options, context.read(word)), False, context.origin)
        codes = [(name, word) for name, word in options.values if name in names]
        for name, code in _as_one_program(language, codes):
            yield Interpret(language, code, context.origin, tuple(operands), make_carrier(argv, name))
        module = options.value_of(modules) if modules else None
        if module is not None:
            yield Run((module, *operands), context.origin, make_carrier(argv, modules))
        if codes or module is not None:
            return
        if operands and operands[0].text != "-":
            if (program := program_of_script(operands[0])) is not None:
                yield Run((known_word(program), *operands[1:]), context.origin, make_carrier(argv))
            yield from run_script_file(language, operands[0], tuple(operands), context)
        else:
            yield Interpret(language, context.stdin, context.origin, tuple(operands), make_carrier(argv, "<stdin"))

    return Program(does=report_effects)


def python(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    """Python, and what it imports at start."""
    from .python_modules import run_at_start, run_module

    yield from run_at_start(argv, context)
    for effect in _PYTHON.effects_of_call(argv, context):
        yield effect
        if isinstance(effect, Run) and effect.via is not None and effect.via.option == "-m":
            yield from run_module(effect.argv[0], effect.argv[1:], context)


_PYTHON = interpreter_program(
    "python",
    "-c",
    Flags("-b -B -c= -d -E -i -I -m= -O -OO -P -q -s -S -u -v -W= -x -X= --check-hash-based-pycs= -h,--help -V,--version"),
    modules="-m",
)
PYTHON = Program(does=python)
NODE = load_environment_files(
    interpreter_program(
        "javascript",
        "--eval --print",
        Flags(
            "-e,-pe,--eval= -p,--print= -r,--require= --import= -c,--check -i,--interactive --input-type= --experimental-vm-modules --inspect=? --loader="
            " --max-old-space-size=? --test --watch --env-file=? --no-warnings -h,--help -v,--version"
        ),
        checks="--check",
    )
)
TYPESCRIPT = load_environment_files(
    interpreter_program(
        "javascript",
        "--eval --print",
        Flags(
            "-e,-pe,--eval= -p,--print= -P,--project= -r,--require= --import= -T,--transpile-only -F,--files -O,--compilerOptions= --esm --swc --tsconfig="
            " -c,--check -i,--interactive --typeCheck --skipProject -C,--cwd= --cwd-mode --no-cache --env-file=? --conditions= --inspect=? -x,--extensions="
            " --presets= --plugins= --quiet --verbose --shell= --prefix= --install -h,--help -v,--version"
        ),
    )
)
PERL = interpreter_program(
    "perl",
    "-e -E",
    Flags(
        "-e= -E= -n -p -i=? -w -W -t -T -u -U -c -l=? -0=? -a -F= -s -S -x=? -M= -m= -I= -d=? -D=? -C=? -h,--help -v,--version"
    ),
    edit=edit_by_perl,
    digits="0l",
)
RUBY = interpreter_program(
    "ruby",
    "-e",
    Flags("-e= -n -p -i=? -w -W=? -c -l -0=? -a -F= -s -S -x=? -r= -I= -C= -E= -K= -U -d -y -h,--help -v,--version"),
    edit=lambda _options, _content: None,
    digits="0",
)
PHP = interpreter_program(
    "php",
    "-r -B -R -E",
    Flags("-r= -B= -R= -E= -f= -F= -a -c= -n -d= -e -l -m -s -w -z= -i -S= -t= -q -h,--help -v,--version"),
    checks="-l",
)


def simple_interpreter(language: str, code: str, more: str = "") -> Program:
    """An interpreter with few options: `code` are those whose value is code."""
    spec = " ".join(f"{option}=" for option in code.split())
    return interpreter_program(
        language, " ".join(option.rpartition(",")[2] for option in code.split()), Flags(f"{spec} {more} -h,--help --version")
    )


def run_node_preloads(context: ExecutionContext) -> Iterator[ReportedEffect]:
    """Runs what Node loads before any program because of the environment: `NODE_OPTIONS=--require FILE`."""
    for value in context.get_variables("NODE_OPTIONS"):
        yield from run_preloads(list(value.split_at(" ")), context)


def run_preloads(words: Sequence[Word], context: ExecutionContext) -> Iterator[ReportedEffect]:
    """Runs the modules that options of Node load before the program."""
    for n, word in enumerate(words):
        option, attached, file = word.partition("=")
        if option.text in ("-r", "--require", "--import", "--loader", "--experimental-loader"):
            yield from run_script_file(
                "javascript", file if attached else words[n + 1] if n + 1 < len(words) else file, (), context
            )


def rscript(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    """R and Rscript: code by `-e`, a file by name or by `-f`, otherwise standard input."""
    options = Flags("-e= -f= --file= --vanilla --slave --quiet --no-save --args -q --no-echo --help --version").parse(argv)
    codes = list(options.values_of("-e"))
    for code in codes:
        yield Interpret("r", code, context.origin, via=make_carrier(argv, "-e"))
    files = [
        *options.values_of("-f", "--file"),
        *(options.operands[:1] if argv[0].tail.endswith("Rscript") and not options.values else ()),
    ]
    reads_input = not codes and all(file.text == "-" for file in files)
    if reads_input and context.stdin.parts and options.has_flag("--help", "--version") is not True:
        yield Interpret("r", context.stdin, context.origin, via=Carrier(program_name(argv), "<stdin"))
    for file in files if not reads_input else ():
        at = next((n for n, word in enumerate(argv) if word == file), len(argv))
        yield from run_script_file("r", file, argv[at:], context)


def kotlin(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    """`kotlin -e CODE`, `kotlin FILE.kts`, `kotlinc -script FILE`; other calls compile, or run compiled code."""
    for option, code in pairwise(argv):
        if option.text in ("-e", "-expression"):
            yield Interpret("jvm", code, context.origin, via=make_carrier(argv, "-e"))
    for n, file in enumerate(argv):
        if n and file.tail.endswith(".kts"):
            yield from run_script_file("jvm", file, argv[n:], context)
            return


def powershell(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    """Options in any case, and abbreviated; everything after -Command is code, as is a first word that is not a file."""
    n = 1
    while n < len(argv):
        word = argv[n]
        name, value = (word.text or "").lower().lstrip("-/"), argv[n + 1 :]
        n += 1
        if word.starts_with("-") is False:
            file = word.tail.lower().endswith(".ps1")
            if file or program_name(argv).startswith("pwsh"):
                yield from run_script_file("powershell", word, value, context)
            if not file:
                yield Interpret("powershell", join_arguments([word, *value]), context.origin, via=make_carrier(argv))
            return
        if not name or "command".startswith(name) or name == "commandwithargs":
            code = context.stdin if value[:1] and value[0].text == "-" else join_arguments(list(value))
            yield Interpret("powershell", code, context.origin, via=make_carrier(argv, "-Command"))
            return
        if "encodedcommand".startswith(name) or name == "ec":
            yield Operation("text.decode", context.origin)
            code = decode_command(value[0]) if value else unknown_word("nothing")
            yield Interpret(
                "powershell",
                code.from_commands(context.unknown_output("").src),
                context.origin,
                via=make_carrier(argv, "-EncodedCommand"),
            )
            return
        if "file".startswith(name) and value:
            yield from run_script_file("powershell", value[0], value[1:], context)
            return
        if name in ("help", "h", "?", "version", "v"):
            return
        if name in _POWERSHELL_OPTIONS_WITH_VALUE or any(
            option.startswith(name) for option in _POWERSHELL_OPTIONS_WITH_VALUE if len(name) > 1
        ):
            n += 1
    yield Interpret("powershell", context.stdin, context.origin, via=make_carrier(argv, "<stdin"))


_POWERSHELL_OPTIONS_WITH_VALUE = (
    *(
        "executionpolicy",
        "ep",
        "ex",
        "windowstyle",
        "w",
        "workingdirectory",
        "wd",
        "wo",
        "inputformat",
        "if",
        "outputformat",
        "o",
    ),
    *("configurationname", "config", "custompipename", "settingsfile", "psconsolefile"),
)


def decode_command(word: Word) -> Word:
    """Decodes -EncodedCommand: base64 of UTF-16."""
    from base64 import b64decode

    try:
        return known_word(b64decode(word.text or "", validate=True).decode("utf-16-le"), word.src) if word.text else word
    except ValueError:
        return unknown_word("an encoded command", word.src)


def cmd(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    """cmd.exe: code follows `/c` and `/k`."""
    for n, word in enumerate(argv[1:], 1):
        if (word.text or "").lower() in ("/c", "/k", "//c", "//k"):
            yield Interpret("cmd", join_arguments(list(argv[n + 1 :])), context.origin, via=Carrier("cmd", "/c"))
            return


ROWS: dict[str, Program] = {
    **{name: Program(does=shell) for name in POSIX_SHELLS},
    **dict.fromkeys(("python", "python2", "python3", "pypy", "pypy3"), PYTHON),
    **dict.fromkeys(("csh", "tcsh", "fish", "nu", "xonsh", "elvish"), Program(does=shell)),
    "qjs": NODE,
    **dict.fromkeys(("tsx", "ts-node", "ts-node-esm", "esno", "babel-node", "vite-node", "zx"), TYPESCRIPT),
    **dict.fromkeys(("powershell", "pwsh", "powershell.exe", "pwsh.exe"), Program(does=powershell)),
    **dict.fromkeys(("cmd", "cmd.exe"), Program(does=cmd)),
    **dict.fromkeys(("lua", "luajit", "texlua"), simple_interpreter("lua", "-e", "-l= -i -v -E -W")),
    **dict.fromkeys(("tclsh", "wish", "jimsh"), simple_interpreter("tcl", "-c")),
    "osascript": combine_programs(Program(does=osascript_keystrokes), simple_interpreter("applescript", "-e", "-l= -s= -i")),
    **dict.fromkeys(("R", "Rscript"), Program(does=rscript)),
    "julia": simple_interpreter("julia", "-e -E", "-q -i -p= -t= --project=?"),
    **dict.fromkeys(("elixir", "iex"), simple_interpreter("beam", "-e,--eval", "-r= -S= --no-halt")),
    "erl": simple_interpreter("beam", "-eval", "-noshell -noinput"),
    "groovy": simple_interpreter("jvm", "-e"),
    "jrunscript": simple_interpreter("jvm", "-e"),
    "jshell": simple_interpreter(
        "jvm", "", "-s -q -v -R= -J= --class-path= --module-path= --add-modules= --feedback= --startup= --execution="
    ),
    **dict.fromkeys(("kotlin", "kotlinc"), Program(does=kotlin)),
    **dict.fromkeys(("guile", "racket"), simple_interpreter("lisp", "-c -e", "-l= -i -s=")),
    **dict.fromkeys(
        ("sbcl", "clojure", "clj", "bb"), simple_interpreter("lisp", "-e,--eval", "-M --noinform --non-interactive --load=")
    ),
    "perl": PERL,
    "ruby": combine_programs(server_mode("httpd", "httpd"), RUBY),
}

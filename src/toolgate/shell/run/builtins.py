"""Builtins of the shell: commands that change its state, or run text in it, without starting a program.

echo, printf, test and kill are builtins too, but they have the effects of programs and are read in programs/.
"""

import re
from itertools import pairwise

from toolgate.model.effect import Carrier, Interpret, Opaque, Operation
from toolgate.model.generalization import generalize
from toolgate.model.word import EMPTY, NO_SOURCES, Hole, HoleKind, Word, known_word, unknown_word
from toolgate.shell.domain.frame import ERRORS_AS_OUTPUT
from toolgate.shell.domain.protocol import TICK, Body, Command, CommandEvaluation, Evaluation
from toolgate.shell.domain.state import NAMED_DIRECTORY_PREFIX, Shell
from toolgate.shell.domain.values import ANY_ARGUMENTS, may_be_several
from toolgate.shell.syntax import dash_builtins
from toolgate.shell.syntax.parser import parse

from . import command_outcomes, directory_builtins, evaluating_builtins, functions, input_builtins, shell_options, variables
from .arithmetic import calculate, evaluate_name, evaluate_number, literal_name
from .builtin_context import Builtin, BuiltinContext
from .eval_builtins import autoload, emulate, eval_, set_arguments, source_file
from .signal_handlers import trap


def find_builtin(name: str | None) -> Builtin | None:
    return TABLE.get(name) if name is not None else None


def set_(argv: tuple[Word, ...], _context: BuiltinContext, shell: Shell) -> CommandEvaluation:
    yield TICK
    if len(argv) == 1:
        return (yield from variables.print_variables(shell))
    n = 1
    while n < len(argv):
        word, text = argv[n], argv[n].text
        if text in ("-A", "+A"):  # zsh: assigns an array
            for name in argv[n + 1 : n + 2]:
                evaluate_name(name, shell)
                shell.assign(name.text or "", (argv[n + 2 :],))
            return EMPTY
        if text in ("--", "-"):
            if text == "--" or argv[n + 1 :]:
                set_arguments(argv[n + 1 :], shell)
            return EMPTY
        if word.splits or word.starts_with("-") is None:
            shell.arguments = tuple(dict.fromkeys((zero[0], *ANY_ARGUMENTS[1:]) for zero in shell.arguments))
            return EMPTY
        if word.head[:1] not in ("-", "+") or not word.parts:
            set_arguments(argv[n:], shell)
            return EMPTY
        letters = word.head[1:]
        option = argv[n + 1].text if letters.endswith("o") and n + 1 < len(argv) else None
        if letters == "o" and n + 1 == len(argv):
            return unknown_word("the options of the shell", frozenset({shell.number}))
        state = "on" if word.head.startswith("-") else "off"
        shell_options.set_letters(letters, state, shell)
        shell_options.set_option(option or "", shell, state)
        if "e" in letters or option == "errexit":
            shell.strict = state == "on"
        if option == "history" and state == "off":
            yield Operation("trace.erase", shell.current_origin(), known_word("the history from here on"))
        n += 2 if letters.endswith("o") else 1
    return EMPTY


def shift(argv: tuple[Word, ...], _context: BuiltinContext, shell: Shell) -> CommandEvaluation:
    """Shifting by more than the number of arguments is an error, which leaves them unchanged, and ends dash."""
    yield TICK
    for operand in argv[1:] if shell.frame.dialect.may_be_zsh else ():
        evaluate_number(operand, shell)
        variables.shift_array(operand.text or "", shell)
    text = argv[1].text if len(argv) > 1 else "1"
    shifted: list[tuple[Word, ...]] = []
    for zero, *words in shell.arguments:
        count = int(text) if text is not None and text.isdigit() else None
        several = next((n for n, word in enumerate(words) if may_be_several(word)), len(words))
        if count is None or several < min(count, len(words) - 1):
            shifted.append((zero, *ANY_ARGUMENTS[1:]))
        elif several < len(words):
            shifted.append((zero, *words[min(count, several) :]))  # items of the last word remain
        else:
            shifted.append((zero, *words[count:]) if count <= len(words) else (zero, *words))
            if count > len(words) and shell.frame.dialect.may_be_dash:
                shell.record_exit("exit")
    shell.arguments = tuple(dict.fromkeys(shifted))
    return EMPTY


def printf(argv: tuple[Word, ...], context: BuiltinContext, shell: Shell) -> CommandEvaluation:
    """`printf -v name` and zsh's `print -v name` set a variable; otherwise they are read as programs."""
    options = evaluating_builtins.read_options(argv, "v:" if argv[0].text == "printf" else _PRINT_OPTIONS)
    formats = [word for letter, word in options.values if letter == "f"] or [*options.operands[:1]]
    if shell.frame.dialect.may_be_zsh and any(_TAKES_NUMBERS(word.outline) for word in formats):
        for word in options.operands:
            evaluate_number(word, shell)
    if "P" in options.flags:  # expanded as a prompt
        for word in options.operands:
            shell.expand_later(word)
    for name in (word for letter, word in options.values if letter == "v"):
        evaluate_name(name, shell)
        printed: Word = yield from _run_program((argv[0], *options.operands), context, shell)
        if literal_name(name):
            shell.assign(literal_name(name), (printed.as_single_word(),))
        return EMPTY
    return (yield from _run_program(argv, context, shell))


_PRINT_OPTIONS = "C:f:u:v:x:X:"
_TAKES_NUMBERS = re.compile(r"%[-+ #0-9.*$]*[diouxXeEfFgGaA]").search


def _run_program(argv: tuple[Word, ...], context: BuiltinContext, shell: Shell) -> CommandEvaluation:
    """Starts a program, bypassing functions and aliases."""
    results = []
    for cwd in shell.cwd:
        frame = shell.frame
        always = shell.always and len(shell.cwd) == 1
        results.append(
            (
                yield Command(
                    argv,
                    cwd,
                    shell.make_scope(context.assigned, {}),
                    context.stdin,
                    frame.span or shell.span,
                    frame.via,
                    frame.site,
                    shell.number,
                    frame.sure,
                    always,
                    shell.depth,
                    frame.file,
                    ERRORS_AS_OUTPUT in shell.options,
                )
            )
        )
    return (
        results[0]
        if len(set(results)) == 1
        else unknown_word("one of several outputs", NO_SOURCES.union(*(word.src for word in results)))
    )


def exit_construct(argv: tuple[Word, ...], _context: BuiltinContext, shell: Shell) -> CommandEvaluation:
    """break, continue, return, exit: the commands that follow are not reached on this path."""
    yield TICK
    for operand in argv[1:] if shell.frame.dialect.may_be_zsh else ():
        evaluate_number(operand, shell)
    word = argv[0].text or ""
    if len(argv) > 1 and word in ("break", "continue"):
        word = "break 2"
    shell.record_exit(word)
    shell.ended = command_outcomes.leaves_for_sure(argv, shell)
    return EMPTY


_FIND_HEREDOC = re.compile(r"(?<!<)<<(?!<)").search


def alias(argv: tuple[Word, ...], context: BuiltinContext, shell: Shell) -> CommandEvaluation:
    """Adds a reading of a name; the program of that name remains possible, as aliases may be disabled. zsh's `-s` defines one
    for a file extension."""
    yield TICK
    if not any(word.contains("=") is not False for word in argv[1:]):
        return unknown_word("alias", frozenset({shell.number}))
    by_end = any(word.starts_with("-") is True and "s" in word.head for word in argv[1:])
    for word in argv[1:]:
        name, assigns, value = word.partition("=")
        if not assigns or not name.text:
            continue
        if value.text is None:
            yield Interpret("shell", value, shell.current_origin(), via=Carrier("alias"))
            continue
        if by_end:
            ended = unknown_word(f"a name that ends in .{name.text}", like=f"*.{name.text}")
            yield from context.run_text(value + known_word(" ") + ended, shell.copy_as_possible(), Carrier("alias", "-s"))
        tree = functions.parse_alias(value.text, shell)
        if tree.trouble is not None:
            yield Opaque(f"in an alias, {tree.trouble.why}", shell.current_origin())
        if _FIND_HEREDOC(value.text):
            yield Opaque("the here-document of an alias may end far behind the command", shell.current_origin())
        if dash_builtins.ALIAS_ARGUMENTS in value.text:
            yield Opaque(f"an alias uses `{dash_builtins.ALIAS_ARGUMENTS}`, a name of the gate's", shell.current_origin())
        shell.functions[name.text] = (
            *shell.functions.get(name.text, ()),
            Body(tree.body, False, shell.frame.dialect, dash_builtins.ALIAS_ARGUMENTS, value.text),
        )
    return EMPTY


def hash_(argv: tuple[Word, ...], _context: BuiltinContext, shell: Shell) -> CommandEvaluation:
    """Handles `hash -p FILE NAME` and zsh's `hash NAME=FILE`, which add a reading of NAME as an alias does, and zsh's `hash -d
    NAME=FOLDER`, which names a folder."""
    yield TICK
    yield from _hash_in_zsh(argv, shell)
    operands = [word for word in argv[1:] if word.starts_with("-") is not True]
    paths = [word.drop_first(word.head.index("p") + 1) for word in argv[1:] if word.starts_with("-") is True and "p" in word.head]
    file, names = (paths[0], operands) if paths and paths[0].parts else (operands[0] if operands else None, operands[1:])
    if not paths or file is None:
        return EMPTY
    yield from _define_as_file(file, tuple(names), shell, Carrier("hash", "-p"))
    return EMPTY


def _hash_in_zsh(argv: tuple[Word, ...], shell: Shell) -> Evaluation:
    options = evaluating_builtins.read_options(argv, "p:")
    for word in options.operands:
        name, assigns, value = word.partition("=")
        if not assigns or not name.text:
            continue
        if "d" in options.flags:
            shell.variables[NAMED_DIRECTORY_PREFIX + name.text] = (value,)
        else:
            yield from _define_as_file(value, (name,), shell, Carrier("hash"))


def _define_as_file(file: Word, names: tuple[Word, ...], shell: Shell, via: Carrier) -> Evaluation:
    """Defines these names as further readings that run the file."""
    if file.text is None or "'" in file.text:
        yield Interpret("shell", file, shell.current_origin(), via=via)
        return
    for name in names:
        if name.text:
            path = file.text if "/" in file.text else f"./{file.text}"  # a hashed name is a path, not looked up again
            body = Body(parse(f"'{path}' \"$@\"").body, sure=False, program=known_word(path, file.src))
            shell.functions[name.text] = (*shell.functions.get(name.text, ()), body)


def _command_path(names: tuple[Word, ...], shell: Shell) -> Word:
    """Returns the output of `command -v NAME`: the name, alone or in some folder."""
    if len(names) != 1 or not names[0].text:
        return unknown_word("command -v", frozenset({shell.number}), like="?**")
    name = names[0].text.rpartition("/")[2]
    return Word((Hole("?**", f"$(command -v {name})", kind=HoleKind.NAMED), f"/{name}"), src=frozenset({shell.number}))


def run_precommand(argv: tuple[Word, ...], context: BuiltinContext, shell: Shell) -> CommandEvaluation:
    """Runs the rest of the words, bypassing functions and aliases: command, builtin, exec and zsh's noglob, nocorrect, `-`,
    repeat."""
    name, n = argv[0].text, 1
    while n < len(argv) and argv[n].starts_with("-") is True and len(argv[n].head) > 1:
        option = argv[n].text or ""
        if name == "command" and option.startswith("-") and ("v" in option or "V" in option):
            yield TICK
            return _command_path(argv[n + 1 :], shell)
        n += 2 if name == "exec" and option.endswith("a") and "a" not in option[1:-1] else 1
        if option == "--":
            break
    if name == "repeat":
        evaluate_number(argv[n] if n < len(argv) else EMPTY, shell)
        n += 1
    rest = argv[n + 1 : -1] if name == "repeat" and argv[n:] and argv[n].text == "{" else argv[n:]
    if not rest:
        if name == "exec":  # its redirects remain in effect
            if context.has_own_input:
                shell.stdin, shell.reads = context.stdin, 0
            if context.outputs:
                shell.streams["1"] = tuple(stream for stream, _ in context.outputs)
                return unknown_word("later output", frozenset({shell.number}))
        return EMPTY
    if shell.frame.dialect.may_be_zsh or name not in _ZSH_PRECOMMANDS:
        before = len(shell.left)
        printed = yield from _run_bypassing_functions(rest, context, shell)
        if name == "command" and shell.frame.dialect.may_be_dash:  # where dash goes on after an error
            shell.join(*(path.copy_as_possible() for word, path in shell.left[before:] if word == "exit"))
        return printed
    path = shell.copy_as_possible()
    printed = yield from _run_bypassing_functions(rest, context, path)
    path.accept_either_outcome()
    shell.join(path)
    return printed


_ZSH_PRECOMMANDS = frozenset(("noglob", "nocorrect", "-", "repeat"))


def _run_bypassing_functions(argv: tuple[Word, ...], context: BuiltinContext, shell: Shell) -> CommandEvaluation:
    """Runs a builtin of that name, or a program: one that is looked up, or the file that `hash` gave the name."""
    if (own := find_builtin(argv[0].text)) is not None:
        return (yield from own(argv, context, shell))
    files = [body.program for body in shell.functions.get(argv[0].text or "", ()) if body.program.parts]
    outputs: list[Word] = []
    with shell.enter_context(always=shell.always and not files):
        for file in (argv[0], *files):
            outputs.append((yield from _run_program((file, *argv[1:]), context, shell)))
    return generalize(outputs) if files else outputs[0]


def jobs(argv: tuple[Word, ...], context: BuiltinContext, shell: Shell) -> CommandEvaluation:
    """`jobs -x COMMAND` runs the command, with job numbers in its arguments replaced."""
    yield TICK
    options = evaluating_builtins.read_options(argv, "")
    if "x" in options.flags and options.operands:
        return (yield from _run_bypassing_functions(options.operands, context, shell))
    return unknown_word("jobs", frozenset({shell.number}))


def test(argv: tuple[Word, ...], context: BuiltinContext, shell: Shell) -> CommandEvaluation:
    """Evaluates variable names in `test -v NAME`, `test -R NAME` and zsh's `test -t NUMBER`."""
    for option, name in pairwise(argv[1:]):
        if option.text in ("-v", "-R", "-t"):
            evaluate_name(name, shell)
    return (yield from _run_program(argv, context, shell))


def do_nothing(_argv: tuple[Word, ...], _context: BuiltinContext, _shell: Shell) -> CommandEvaluation:
    yield TICK
    return EMPTY


def print_state(argv: tuple[Word, ...], _context: BuiltinContext, shell: Shell) -> CommandEvaluation:
    """Prints something of the shell's state; with an operand it changes that, which does not matter to the gate."""
    yield TICK
    prints = len(argv) < 2 or argv[1].starts_with("-") is not False
    return unknown_word(argv[0].text or "", frozenset({shell.number})) if prints else EMPTY


def let(argv: tuple[Word, ...], _context: BuiltinContext, shell: Shell) -> CommandEvaluation:
    yield TICK
    for word in argv[1:]:
        calculate(word.text or "", shell)
    return EMPTY


def enable(argv: tuple[Word, ...], _context: BuiltinContext, shell: Shell) -> CommandEvaluation:
    """Disables a builtin: after `enable -n cd`, zsh's `disable cd`, that name may do nothing."""
    if argv[0].text == "disable" or any(word.text == "-n" for word in argv[1:]):
        for word in argv[1:]:
            if word.text and not word.text.startswith("-"):
                nothing_more = Body(parse(":").body, sure=False)
                shell.functions[word.text] = (*shell.functions.get(word.text, ()), nothing_more)
    if any(letter == "f" for letter, _ in evaluating_builtins.read_options(argv, "f:").values) or any(
        word.is_any_of("-f") is None for word in argv[1:]
    ):
        yield Opaque("enable -f loads code into the shell", shell.current_origin())
    return EMPTY


_INERT_BUILTINS = ("true", "false", ":", "unalias", "disown")
_PRINTING_BUILTINS = ("umask", "fg", "bg", "times", "ulimit")
TABLE: dict[str, Builtin] = {
    **evaluating_builtins.TABLE,
    "cd": directory_builtins.cd,
    "chdir": directory_builtins.cd,
    "pushd": directory_builtins.cd,
    "popd": directory_builtins.popd,
    "pwd": directory_builtins.pwd,
    "export": variables.declare,
    "declare": variables.declare,
    "local": variables.declare,
    "private": variables.declare,
    "readonly": variables.declare,
    "typeset": variables.declare,
    "unset": variables.unset_variables,
    "read": input_builtins.read,
    "mapfile": input_builtins.mapfile,
    "readarray": input_builtins.mapfile,
    "getopts": input_builtins.getopts,
    "set": set_,
    "shift": shift,
    "printf": printf,
    "print": printf,
    "jobs": jobs,
    "fc": evaluating_builtins.fc,
    "integer": variables.declare_number,
    "float": variables.declare_number,
    "eval": eval_,
    "emulate": emulate,
    "source": source_file,
    ".": source_file,
    "autoload": autoload,
    "trap": trap,
    "alias": alias,
    "command": run_precommand,
    "builtin": run_precommand,
    "exec": run_precommand,
    "noglob": run_precommand,
    "nocorrect": run_precommand,
    "-": run_precommand,
    "repeat": run_precommand,
    "let": let,
    "enable": enable,
    "disable": enable,
    **dict.fromkeys(_INERT_BUILTINS, do_nothing),
    **dict.fromkeys(_PRINTING_BUILTINS, print_state),
    "shopt": shell_options.shopt,
    "setopt": shell_options.setopt,
    "unsetopt": shell_options.setopt,
    "dirs": directory_builtins.dirs,
    "test": test,
    "[": test,
    "exit": exit_construct,
    "return": exit_construct,
    "break": exit_construct,
    "continue": exit_construct,
    "hash": hash_,
}

"""Builtins of the shell: commands that change its state, or run text in it, without starting a program.

echo, printf, test and kill are builtins too, but they have the effects of programs and are read in programs/.
"""

import re
from itertools import pairwise

from toolgate.model.effect import Interpret, Opaque, Operation
from toolgate.model.word import EMPTY, NOTHING, Hole, HoleKind, Word, known, unknown

from . import differences, directories, functions, reading, reevaluation, variables
from .arithmetic import calculate, evaluate_name, evaluate_number
from .evaluation import autoload, emulate, evaluate, source, take_arguments
from .moment import Builtin, Moment
from .parser import parse
from .protocol import TICK, Body, Command, Reading, Walking
from .state import DIRECTORY, Shell
from .values import ANY_ARGUMENTS, may_be_several


def find(name: str | None) -> Builtin | None:
    return TABLE.get(name) if name is not None else None


def set_(argv: tuple[Word, ...], _moment: Moment, shell: Shell) -> Reading:
    yield TICK
    if len(argv) == 1:
        return (yield from variables.told(shell))
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
                take_arguments(argv[n + 1 :], shell)
            return EMPTY
        if word.splits or word.starts("-") is None:
            shell.arguments = tuple(dict.fromkeys((zero[0], *ANY_ARGUMENTS[1:]) for zero in shell.arguments))
            return EMPTY
        if word.head[:1] not in ("-", "+") or not word.parts:
            take_arguments(argv[n:], shell)
            return EMPTY
        letters = word.head[1:]
        if "e" in letters or (letters.endswith("o") and argv[n + 1 : n + 2] == (known("errexit"),)):
            shell.strict = word.head.startswith("-")
        if word.text == "+o" and argv[n + 1 : n + 2] == (known("history"),):
            yield Operation("trace.erase", shell.origin(), known("the history from here on"))
        n += 2 if letters.endswith("o") else 1
    return EMPTY


def shift(argv: tuple[Word, ...], _moment: Moment, shell: Shell) -> Reading:
    """Shifting by more than the number of arguments is an error, which leaves them unchanged, and ends dash."""
    yield TICK
    for operand in argv[1:] if shell.frame.zsh else ():
        evaluate_number(operand, shell)
    text = argv[1].text if len(argv) > 1 else "1"
    shifted: list[tuple[Word, ...]] = []
    for zero, *words in shell.arguments:
        count = int(text) if text is not None and text.isdigit() else None
        if count is None or any(map(may_be_several, words)):
            shifted.append((zero, *ANY_ARGUMENTS[1:]))
        else:
            shifted.append((zero, *words[count:]) if count <= len(words) else (zero, *words))
            if count > len(words) and shell.frame.dialect != "bash":
                shell.leave("exit")
    shell.arguments = tuple(dict.fromkeys(shifted))
    return EMPTY


def printf(argv: tuple[Word, ...], moment: Moment, shell: Shell) -> Reading:
    """`printf -v name` and zsh's `print -v name` set a variable; otherwise they are read as programs."""
    given = reevaluation.read_options(argv, "v:" if argv[0].text == "printf" else _OPTIONS_OF_PRINT)
    formats = [word for letter, word in given.values if letter == "f"] or [*given.operands[:1]]
    if shell.frame.zsh and any(_TAKES_NUMBERS(word.shown) for word in formats):
        for word in given.operands:
            evaluate_number(word, shell)
    if "P" in given.flags:  # expanded as a prompt
        for word in given.operands:
            shell.expand_later(word)
    for name in (word for letter, word in given.values if letter == "v"):
        evaluate_name(name, shell)
        printed: Word = yield from _started((argv[0], *given.operands), moment, shell)
        if name.text:
            shell.assign(name.text, (printed.whole(),))
        return EMPTY
    return (yield from _started(argv, moment, shell))


_OPTIONS_OF_PRINT = "C:f:u:v:x:X:"
_TAKES_NUMBERS = re.compile(r"%[-+ #0-9.*$]*[diouxXeEfFgGaA]").search


def _started(argv: tuple[Word, ...], moment: Moment, shell: Shell) -> Reading:
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
                    shell.scope(moment.assigned, {}),
                    moment.stdin,
                    frame.span or shell.span,
                    frame.via,
                    frame.site,
                    shell.number,
                    frame.sure,
                    always,
                    shell.depth,
                    frame.file,
                )
            )
        )
    return (
        results[0]
        if len(set(results)) == 1
        else unknown("one of several outputs", NOTHING.union(*(word.src for word in results)))
    )


def trap(argv: tuple[Word, ...], _moment: Moment, shell: Shell) -> Reading:
    yield TICK
    operands = [word for word in argv[1:] if word.starts("-") is not True]
    if len(operands) > 1 and operands[0].text != "":
        at_the_end = all(word.text in ("EXIT", "0") for word in operands[1:])
        shell.run_later(operands[0], any_time=not at_the_end)
    return EMPTY


def leave(argv: tuple[Word, ...], _moment: Moment, shell: Shell) -> Reading:
    """break, continue, return, exit: the commands that follow are not reached on this path."""
    yield TICK
    for operand in argv[1:] if shell.frame.zsh else ():
        evaluate_number(operand, shell)
    word = argv[0].text or ""
    if len(argv) > 1 and word in ("break", "continue"):
        word = "break 2"
    shell.leave(word)
    return EMPTY


def alias(argv: tuple[Word, ...], moment: Moment, shell: Shell) -> Reading:
    """Adds a reading of a name; the program of that name remains possible, as aliases may be disabled. zsh's `-s` defines one
    for a file extension."""
    yield TICK
    by_end = any(word.starts("-") is True and "s" in word.head for word in argv[1:])
    for word in argv[1:]:
        name, assigns, value = word.partition("=")
        if not assigns or not name.text:
            continue
        if value.text is None:
            yield Interpret("shell", value, shell.origin(), via="alias")
            continue
        if by_end:
            ended = unknown(f"a name that ends in .{name.text}", like=f"*.{name.text}")
            yield from moment.run_text(value + known(" ") + ended, shell.maybe(), "alias -s")
        tree = functions.alias(value.text, shell)
        if tree.trouble is not None:
            yield Opaque(f"an alias cannot be read: {tree.trouble.why}", shell.origin())
        shell.functions[name.text] = (
            *shell.functions.get(name.text, ()),
            Body(tree.body, False, shell.frame.dialect, differences.GIVEN, value.text),
        )
    return EMPTY


def hashed(argv: tuple[Word, ...], _moment: Moment, shell: Shell) -> Reading:
    """Handles `hash -p FILE NAME` and zsh's `hash NAME=FILE`, which add a reading of NAME as an alias does, and zsh's `hash -d
    NAME=FOLDER`, which names a folder."""
    yield TICK
    yield from _hashed_in_zsh(argv, shell)
    operands = [word for word in argv[1:] if word.starts("-") is not True]
    given = [word.cut(word.head.index("p") + 1) for word in argv[1:] if word.starts("-") is True and "p" in word.head]
    file, names = (given[0], operands) if given and given[0].parts else (operands[0] if operands else None, operands[1:])
    if not given or file is None:
        return EMPTY
    yield from _stand_for(file, tuple(names), shell, "hash -p")
    return EMPTY


def _hashed_in_zsh(argv: tuple[Word, ...], shell: Shell) -> Walking:
    given = reevaluation.read_options(argv, "p:")
    for word in given.operands:
        name, assigns, value = word.partition("=")
        if not assigns or not name.text:
            continue
        if "d" in given.flags:
            shell.variables[DIRECTORY + name.text] = (value,)
        else:
            yield from _stand_for(value, (name,), shell, "hash")


def _stand_for(file: Word, names: tuple[Word, ...], shell: Shell, via: str) -> Walking:
    """Defines these names as further readings that run the file."""
    if file.text is None or "'" in file.text:
        yield Interpret("shell", file, shell.origin(), via=via)
        return
    for name in names:
        if name.text:
            body = Body(parse(f"'{file.text}' \"$@\"").body, sure=False)
            shell.functions[name.text] = (*shell.functions.get(name.text, ()), body)


def _found(names: tuple[Word, ...], shell: Shell) -> Word:
    """Returns the output of `command -v NAME`: the name, alone or in some folder."""
    if len(names) != 1 or not names[0].text:
        return unknown("command -v", frozenset({shell.number}), like="?**")
    name = names[0].text.rpartition("/")[2]
    return Word((Hole("?**", f"$(command -v {name})", kind=HoleKind.NAMED), f"/{name}"), src=frozenset({shell.number}))


def precommand(argv: tuple[Word, ...], moment: Moment, shell: Shell) -> Reading:
    """Runs the rest of the words, bypassing functions and aliases: command, builtin, exec and zsh's noglob, nocorrect, `-`,
    repeat."""
    name, n = argv[0].text, 1
    while n < len(argv) and argv[n].starts("-") is True and len(argv[n].head) > 1:
        option = argv[n].text or ""
        if name == "command" and option.startswith("-") and ("v" in option or "V" in option):
            yield TICK
            return _found(argv[n + 1 :], shell)
        n += 2 if name == "exec" and option.endswith("a") and "a" not in option[1:-1] else 1
        if option == "--":
            break
    if name == "repeat":
        evaluate_number(argv[n] if n < len(argv) else EMPTY, shell)
        n += 1
    rest = argv[n + 1 : -1] if name == "repeat" and argv[n:] and argv[n].text == "{" else argv[n:]
    if not rest:
        if name == "exec":  # its redirects remain in effect
            if moment.given:
                shell.stdin, shell.reads = moment.stdin, 0
            if moment.outputs:
                shell.streams["1"] = tuple(stream for stream, _ in moment.outputs)
                return unknown("what is printed from here on", frozenset({shell.number}))
        return EMPTY
    if shell.frame.zsh or name not in _OF_ZSH:
        return (yield from _past_names(rest, moment, shell))
    path = shell.maybe()
    printed = yield from _past_names(rest, moment, path)
    path.settle()
    shell.join(path)
    return printed


_OF_ZSH = frozenset(("noglob", "nocorrect", "-", "repeat"))


def _past_names(argv: tuple[Word, ...], moment: Moment, shell: Shell) -> Reading:
    """Runs a builtin of that name, or a program."""
    own = find(argv[0].text)
    return (yield from _started(argv, moment, shell) if own is None else own(argv, moment, shell))


def jobs(argv: tuple[Word, ...], moment: Moment, shell: Shell) -> Reading:
    """`jobs -x COMMAND` runs the command, with job numbers in its arguments replaced."""
    yield TICK
    given = reevaluation.read_options(argv, "")
    if "x" in given.flags and given.operands:
        return (yield from _past_names(given.operands, moment, shell))
    return unknown("jobs", frozenset({shell.number}))


def tested(argv: tuple[Word, ...], moment: Moment, shell: Shell) -> Reading:
    """Evaluates variable names in `test -v NAME`, `test -R NAME` and zsh's `test -t NUMBER`."""
    for option, name in pairwise(argv[1:]):
        if option.text in ("-v", "-R", "-t"):
            evaluate_name(name, shell)
    return (yield from _started(argv, moment, shell))


def nothing(_argv: tuple[Word, ...], _moment: Moment, _shell: Shell) -> Reading:
    yield TICK
    return EMPTY


def let(argv: tuple[Word, ...], _moment: Moment, shell: Shell) -> Reading:
    yield TICK
    for word in argv[1:]:
        calculate(word.text or "", shell)
    return EMPTY


def enable(argv: tuple[Word, ...], _moment: Moment, shell: Shell) -> Reading:
    """Disables a builtin: after `enable -n cd`, zsh's `disable cd`, that name may do nothing."""
    if argv[0].text == "disable" or any(word.text == "-n" for word in argv[1:]):
        for word in argv[1:]:
            if word.text and not word.text.startswith("-"):
                nothing_more = Body(parse(":").body, sure=False)
                shell.functions[word.text] = (*shell.functions.get(word.text, ()), nothing_more)
    if any(letter == "f" for letter, _ in reevaluation.read_options(argv, "f:").values) or any(
        word.equals("-f") is None for word in argv[1:]
    ):
        yield Opaque("enable -f loads code into the shell", shell.origin())
    return EMPTY


_NOTHING = (
    "true", "false", ":", "umask", "shopt", "unalias", "disown", "fg", "bg", "times", "ulimit", "setopt", "unsetopt",
)  # fmt: skip
TABLE: dict[str, Builtin] = {
    **reevaluation.TABLE,
    "cd": directories.cd,
    "chdir": directories.cd,
    "pushd": directories.cd,
    "popd": directories.popd,
    "pwd": directories.pwd,
    "export": variables.declare,
    "declare": variables.declare,
    "local": variables.declare,
    "readonly": variables.declare,
    "typeset": variables.declare,
    "unset": variables.unset,
    "read": reading.read,
    "mapfile": reading.mapfile,
    "readarray": reading.mapfile,
    "getopts": reading.getopts,
    "set": set_,
    "shift": shift,
    "printf": printf,
    "print": printf,
    "jobs": jobs,
    "fc": reevaluation.fc,
    "integer": variables.declare_number,
    "float": variables.declare_number,
    "eval": evaluate,
    "emulate": emulate,
    "source": source,
    ".": source,
    "autoload": autoload,
    "trap": trap,
    "alias": alias,
    "command": precommand,
    "builtin": precommand,
    "exec": precommand,
    "noglob": precommand,
    "nocorrect": precommand,
    "-": precommand,
    "repeat": precommand,
    "let": let,
    "enable": enable,
    "disable": enable,
    **dict.fromkeys(_NOTHING, nothing),
    "test": tested,
    "[": tested,
    "exit": leave,
    "return": leave,
    "break": leave,
    "continue": leave,
    "hash": hashed,
}

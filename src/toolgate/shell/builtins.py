"""What the shell does itself, without starting a program: it changes the shell, or has text run in it.

echo, printf, test and kill are builtins too, but what they do is no different from a program: they live in programs/.
"""

from collections.abc import Callable, Generator
from dataclasses import dataclass
from typing import Any

from toolgate.model.effect import Environment, Interpret, Opaque
from toolgate.model.place import Place
from toolgate.model.word import EMPTY, NOTHING, Hole, Maybe, Word, joined, known, unknown

from .parser import parse
from .protocol import TICK, Command, Contents, IsFolder, Reading, Values, Where, Yielded
from .state import Body, Shell, Stream, alternatives, first
from .syntax import Background, Function, Group, Node, Sequence, ShellWord, Simple, Text

Walk = Callable[[Node, Shell], Reading]
RunText = Callable[[Word, Shell, str], Reading]


@dataclass(frozen=True, slots=True)
class Moment:
    """What a builtin is given beside its arguments. `assigned`: variables set for this one command (`IFS= read x`)."""

    stdin: Word
    assigned: dict[str, Word]
    outputs: list[tuple[Stream, bool]]
    walk: Walk
    run_text: RunText


Builtin = Callable[[tuple[Word, ...], Moment, Shell], Reading]

_SUCCEEDS = frozenset(("true", ":", "echo", "printf", "export", "readonly", "declare", "local", "typeset", "pwd", "alias"))
_LEAVES = frozenset(("exit", "return", "break", "continue", "exec"))


def find(name: str | None) -> Builtin | None:
    return TABLE.get(name) if name is not None else None


def literal_name(node: Node) -> str | None:
    """The command's name where it stands there plainly."""
    if isinstance(node, Simple) and node.words and isinstance(word := node.words[0], ShellWord) and len(word.pieces) == 1:
        piece = word.pieces[0]
        return piece.value if isinstance(piece, Text) else None
    return None


def surely_succeeds(node: Node) -> bool:
    if isinstance(node, Function | Background):
        return True
    if isinstance(node, Simple) and not node.words:
        return not node.redirects and all(
            assignment.value is None or all(isinstance(piece, Text) for piece in assignment.value.pieces)
            for assignment in node.assignments
        )
    return literal_name(node) in _SUCCEEDS


def leaves(node: Node) -> bool:
    """Does the text surely not go on after this?"""
    match node:
        case Sequence(items=items):
            return bool(items) and leaves(items[-1])
        case Group(body=body):
            return leaves(body)
        case _:
            return literal_name(node) in _LEAVES


# ---- directories


def cd(argv: tuple[Word, ...], _moment: Moment, shell: Shell) -> Reading:
    """Where it may fail, both directories stay possible."""
    operands = [word for word in argv[1:] if word.text not in ("-P", "-L", "-e", "-@", "--", "-n")]
    before = shell.cwd
    if argv[0].text == "pushd":
        shell.stack = (*shell.stack, before)
    if not operands:
        shell.cwd, shell.failed = tuple(first(value) for value in shell.values("HOME")), ()
    elif operands[0].text == "-":
        shell.cwd, shell.failed = tuple(first(value) for value in shell.values("OLDPWD")), ()
    else:
        target, may_fail, after = operands[0], False, []
        for base in before:
            place: Place = yield Where(target, base, shell.frame.site)
            there: Maybe = yield IsFolder(place)
            may_fail = may_fail or there is not True
            after.append(_logical(target, base))
        shell.cwd = alternatives(after)
        shell.failed = before if may_fail else ()
    shell.variables["OLDPWD"] = before
    yield TICK
    return EMPTY


def _logical(target: Word, base: Word) -> Word:
    """`cd a/..` is textual: a shell keeps the path as it was typed."""
    path = target if target.starts("/") is not False or not base.parts else base + known("/") + target
    text = path.text
    if text is None or not text.startswith("/"):
        return path.whole()
    names: list[str] = []
    for name in text.split("/"):
        if name == "..":
            if names:
                names.pop()
        elif name not in ("", "."):
            names.append(name)
    return known("/" + "/".join(names), path.src)


def popd(_argv: tuple[Word, ...], _moment: Moment, shell: Shell) -> Reading:
    yield TICK
    if shell.stack:
        shell.cwd, shell.stack = shell.stack[-1], shell.stack[:-1]
    else:
        shell.cwd = alternatives((*shell.cwd, unknown("popd")))
    return EMPTY


def pwd(_argv: tuple[Word, ...], _moment: Moment, shell: Shell) -> Reading:
    yield TICK
    return shell.cwd[0] if len(shell.cwd) == 1 else unknown("$(pwd)", NOTHING.union(*(word.src for word in shell.cwd)))


# ---- variables


def declare(argv: tuple[Word, ...], _moment: Moment, shell: Shell) -> Reading:
    """export, declare, local, readonly, typeset."""
    yield TICK
    exports, reference, number = argv[0].text == "export", False, False
    for word in argv[1:]:
        if word.starts("-") is True or word.starts("+") is True:
            options = word.head
            exports, reference, number = exports or "x" in options, reference or "n" in options, number or "i" in options
            continue
        left, assigns, value = word.partition("=")
        yield from _safe_name(left, shell)
        name = (left.text or "").rstrip("+")
        if not name:
            continue
        if not assigns:
            if exports:
                shell.exported.add(name)
            continue
        if reference and value.text is not None:
            shell.assign(name, shell.values(value.text))
        elif not _is_array(shell.variables.get(name)):  # an array literal is assigned where it is read
            shell.assign(name, (value.whole(),))
        if number and (value.contains("$(") is True or value.contains("`") is True):
            yield Opaque(f"the value of {name} runs a command when it is used as a number", shell.origin())
        if exports:
            shell.exported.add(name)
            yield Environment(name, value, shell.origin())
    return EMPTY


def _is_array(values: Values | None) -> bool:
    return values is not None and any(isinstance(value, tuple) for value in values)


def _safe_name(word: Word, shell: Shell) -> Generator[Yielded, Any, None]:
    """`a[$(cmd)]` as a variable's name runs cmd."""
    if word.contains("$(") is True or word.contains("`") is True:
        yield Opaque("a variable's name runs a command", shell.origin())


def unset(argv: tuple[Word, ...], _moment: Moment, shell: Shell) -> Reading:
    yield TICK
    for word in argv[1:]:
        yield from _safe_name(word, shell)
        name = word.text
        if not name or name.startswith("-"):
            continue
        before = () if shell.always else shell.values(name)
        shell.assign(name, (*before, EMPTY))
        if shell.always and "-f" in [w.text for w in argv]:
            shell.functions.pop(name, None)
    return EMPTY


_READ_VALUES = frozenset(("-p", "-d", "-n", "-N", "-t", "-u", "-i", "-a", "-C", "-c", "-O"))


def read(argv: tuple[Word, ...], moment: Moment, shell: Shell) -> Reading:
    """`read a b`, `mapfile a`: text from standard input becomes the value of variables."""
    yield TICK
    names: list[str] = []
    array = argv[0].text in ("mapfile", "readarray")
    option = ""
    for word in argv[1:]:
        yield from _safe_name(word, shell)
        text = word.text or ""
        if option == "-C":
            yield from moment.run_text(word, shell.maybe(), "mapfile -C")
        elif (option == "-a" or not option) and text.isidentifier():
            names.append(text)
            array = array or option == "-a"
        option = text if not option and text in _READ_VALUES else ""
    stdin = moment.stdin
    lines = [line for line in stdin.lines() if line.parts] if stdin.parts else []
    for n, name in enumerate(names or ["REPLY"]):
        if array:
            shell.assign(name, (tuple(lines),))
            continue
        values = alternatives([_column(line, n, len(names)) for line in lines]) or (unknown(f"${name}", stdin.src),)
        if any(line.text is None for line in lines) and len(lines) > 1:
            values = (unknown(f"${name}", stdin.src),)
        shell.assign(name, values)
    return EMPTY


def _column(line: Word, index: int, count: int) -> Word:
    """The part of a line that goes to one of several variables; the last takes the rest."""
    if count < 2:
        return Word(line.parts, splits=False, src=line.src)
    if line.text is None:
        return unknown("a part of a line", line.src)
    parts = line.text.split(None, count - 1)
    return known(parts[index], line.src) if index < len(parts) else EMPTY


def set_(argv: tuple[Word, ...], _moment: Moment, shell: Shell) -> Reading:
    yield TICK
    for n, word in enumerate(argv[1:], 1):
        text = word.text
        if text in ("--", "-"):
            shell.arguments = ((shell.arguments or (known("sh"),))[0], *argv[n + 1 :]) if shell.always else None
            return EMPTY
        if text is None:
            shell.arguments = None
        elif text.startswith("-") and "e" in text and not text.startswith("--"):
            shell.strict = shell.strict or shell.always
        elif text.startswith("+") and "e" in text:
            shell.strict = False
        elif text[:1] not in "-+" and argv[n - 1].text not in ("-o", "+o", "-eo", "-euo", "-uo", "-xeuo", "-exuo", "-euxo"):
            shell.arguments = ((shell.arguments or (known("sh"),))[0], *argv[n:]) if shell.always else None
            return EMPTY
    return EMPTY


def shift(argv: tuple[Word, ...], _moment: Moment, shell: Shell) -> Reading:
    yield TICK
    if shell.arguments is not None:
        text = argv[1].text if len(argv) > 1 else "1"
        sure = shell.always and text is not None and text.isdigit()
        shell.arguments = (shell.arguments[0], *shell.arguments[1 + int(text or 1) :]) if sure else None
    return EMPTY


def printf(argv: tuple[Word, ...], moment: Moment, shell: Shell) -> Reading:
    """`printf -v name` sets a variable; without it, it is a program like any other."""
    if len(argv) > 2 and argv[1].text == "-v":
        name = argv[2]
        yield from _safe_name(name, shell)
        printed: Word = yield from _started((argv[0], *argv[3:]), moment, shell)
        if name.text:
            shell.assign(name.text, (printed,))
        return EMPTY
    return (yield from _started(argv, moment, shell))


def _started(argv: tuple[Word, ...], moment: Moment, shell: Shell) -> Reading:
    """A program, past functions and aliases."""
    results = []
    for cwd in shell.cwd:
        frame = shell.frame
        always = shell.always and len(shell.cwd) == 1
        results.append(
            (
                yield Command(
                    argv,
                    cwd,
                    shell.scope(moment.assigned),
                    moment.stdin,
                    frame.span or shell.span,
                    frame.via,
                    frame.site,
                    shell.number,
                    frame.sure,
                    always,
                    shell.depth,
                )
            )
        )
    return (
        results[0]
        if len(set(results)) == 1
        else unknown("one of several outputs", NOTHING.union(*(word.src for word in results)))
    )


# ---- text run in this shell


def evaluate(argv: tuple[Word, ...], moment: Moment, shell: Shell) -> Reading:
    return (yield from moment.run_text(joined(argv[1:]), shell, "eval"))


def source(argv: tuple[Word, ...], moment: Moment, shell: Shell) -> Reading:
    if len(argv) < 2:
        return EMPTY
    file, printed = argv[1], EMPTY
    arguments, shell.arguments = shell.arguments, (argv if len(argv) > 2 else shell.arguments)
    for cwd in shell.cwd[:1]:
        for text in (yield from _texts(file, cwd, moment, shell)):
            printed = printed + (yield from moment.run_text(text, shell, f"source {file.shown}"))
    shell.arguments = arguments
    return printed


def _texts(file: Word, cwd: Word, moment: Moment, shell: Shell) -> Generator[Yielded, Any, list[Word]]:
    """What a sourced file may hold. A file that is not there, or that nobody here wrote and cannot be read, is left alone."""
    if file.text == "/dev/stdin":
        return [moment.stdin]
    if len(file.parts) == 1 and isinstance(hole := file.parts[0], Hole) and hole.like == "/dev/fd/63":
        return [unknown("<(...)", file.src) if file.src and not hole.why else known(hole.why, file.src)]
    place: Place = yield Where(file, cwd, shell.frame.site)
    contents: tuple[Word | None, ...] = yield Contents(place, shell.number)
    return [content for content in contents if content is not None and (content.text is not None or content.src - {shell.number})]


def trap(argv: tuple[Word, ...], _moment: Moment, shell: Shell) -> Reading:
    yield TICK
    operands = [word for word in argv[1:] if word.starts("-") is not True]
    if len(operands) > 1 and operands[0].text != "":
        shell.traps.append(operands[0])
    return EMPTY


def alias(argv: tuple[Word, ...], _moment: Moment, shell: Shell) -> Reading:
    """An alias adds a reading and never takes one away: it may be off."""
    yield TICK
    for word in argv[1:]:
        name, assigns, value = word.partition("=")
        if not assigns or not name.text:
            continue
        if value.text is None:
            yield Interpret("shell", value, shell.origin(), via="alias")
            continue
        tree = parse(value.text + ' "$@"')
        if tree.trouble is not None:
            yield Opaque(f"an alias cannot be read: {tree.trouble.why}", shell.origin())
        shell.functions[name.text] = (*shell.functions.get(name.text, ()), Body(tree.body, sure=False))
    return EMPTY


def precommand(argv: tuple[Word, ...], moment: Moment, shell: Shell) -> Reading:
    """command, builtin, exec and zsh's noglob, nocorrect, `-`, repeat: what follows is run, past functions and aliases."""
    name, n = argv[0].text, 1
    while n < len(argv) and argv[n].starts("-") is True and len(argv[n].head) > 1:
        option = argv[n].text or ""
        if name == "command" and option.startswith("-") and ("v" in option or "V" in option):
            yield TICK
            return unknown("command -v", frozenset({shell.number}), like="?**")
        n += 2 if name == "exec" and option == "-a" else 1
        if option == "--":
            break
    if name == "repeat":
        n += 1
    rest = argv[n:]
    if not rest:
        if name == "exec":  # its redirects stay in force
            shell.streams["1"] = tuple(stream for stream, _ in moment.outputs) or shell.streams.get("1", ())
        return EMPTY
    own = find(rest[0].text)
    if own is not None:
        return (yield from own(rest, moment, shell))
    return (yield from _started(rest, moment, shell))


def nothing(_argv: tuple[Word, ...], _moment: Moment, _shell: Shell) -> Reading:
    yield TICK
    return EMPTY


def let(argv: tuple[Word, ...], _moment: Moment, shell: Shell) -> Reading:
    yield TICK
    for word in argv[1:]:
        yield from _safe_name(word, shell)
    return EMPTY


def enable(argv: tuple[Word, ...], _moment: Moment, shell: Shell) -> Reading:
    if any(word.equals("-f") is not False for word in argv[1:]):
        yield Opaque("enable -f loads code into the shell", shell.origin())
    return EMPTY


TABLE: dict[str, Builtin] = {
    "cd": cd,
    "chdir": cd,
    "pushd": cd,
    "popd": popd,
    "pwd": pwd,
    "export": declare,
    "declare": declare,
    "local": declare,
    "readonly": declare,
    "typeset": declare,
    "unset": unset,
    "read": read,
    "mapfile": read,
    "readarray": read,
    "set": set_,
    "shift": shift,
    "printf": printf,
    "eval": evaluate,
    "source": source,
    ".": source,
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
    "true": nothing,
    "false": nothing,
    ":": nothing,
    "exit": nothing,
    "return": nothing,
    "break": nothing,
    "continue": nothing,
    "wait": nothing,
    "umask": nothing,
    "shopt": nothing,
    "unalias": nothing,
    "hash": nothing,
    "jobs": nothing,
    "disown": nothing,
    "fg": nothing,
    "bg": nothing,
    "times": nothing,
    "ulimit": nothing,
    "getopts": nothing,
    "setopt": nothing,
    "unsetopt": nothing,
}

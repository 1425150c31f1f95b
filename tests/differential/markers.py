"""Generates harmless programs for a real shell, and finds out which of their commands ran.

Every command in them is a marker (`m1`, `m2` ...) that no system has: bash passes it to `command_not_found_handle`, which records
its name. There is no PATH and no environment, and the folder is empty and temporary.
"""

import os
import random
import re
import signal
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import fields, is_dataclass
from pathlib import Path

from toolgate.shell.syntax import tree as syntax

_NOTHING = "/nonexistent"
_ENVIRONMENT = {"PATH": _NOTHING, "LC_ALL": "C.UTF-8", "HOME": _NOTHING}

# Each program runs in a subshell of its own, twice: once with markers that succeed, once with markers that fail.
# The trap ends a loop whose `break` was cut out of it.
_DRIVER = r"""
command_not_found_handle() { printf '%s\n' "$1" >&9; return "$outcome"; }
steps=0
set -T
trap '((++steps < 300)) || exit' DEBUG
number=0
for program do
    for outcome in 0 1; do
        steps=0
        ( ulimit -t 1 -f 100; set --; eval -- "$program"; wait ) 9>>"$LOGS/$number" >/dev/null 2>&1 </dev/null
    done
    number=$((number + 1))
done
"""


class Markers:
    """Programs made of markers, the same for the same seed. Tame ones close everything that they open."""

    def __init__(self, seed: int, tame: bool = False) -> None:
        self.random = random.Random(seed)
        self.tame = tame
        self.count = 0

    def one_of(self, *choices: Callable[[], str]) -> str:
        return self.random.choice(choices)()

    def text(self, *choices: str) -> str:
        return self.random.choice(choices)

    def marker(self) -> str:
        self.count += 1
        name = f"m{self.count}"
        return self.text(name, name, name, name, f"'{name}'", f"\\{name}", f"m\\\n{name[1:]}", f'"{name}"', f"$'\\x6d{name[1:]}'")

    def program(self, depth: int) -> str:
        text = self.command(depth)
        for _ in range(self.random.choice((0, 0, 1, 1, 2))):
            text += self.text(*_TAME_BETWEEN if self.tame else _BETWEEN) + self.command(depth)
        return text

    def simple(self, depth: int) -> str:
        before = ("", "", "", "v=1 ", f"v=$({self.marker()}) ", "v+=x ", f"v[$({self.marker()})]=x ", "2>&1 ")
        text = self.text(*before) + self.marker()
        for _ in range(self.random.randint(0, 2)):
            text += self.text(" ", "  ", "\t", " \\\n") + self.word(depth)
        if self.random.random() < 0.15:
            document = f'<<< "$({self.marker()})"'
            text += self.text(" </dev/null", " 2>&1", f" <<<$({self.marker()})", document, " {fd}</dev/null", " 2\\\n>&1")
        return text

    def command(self, depth: int) -> str:
        if depth <= 0:
            return self.simple(0)
        inner = depth - 1
        if self.random.random() < 0.4:
            return self.simple(depth)
        return self.one_of(
            self.document,
            self.document,
            lambda: f"({self.program(inner)})",
            lambda: f"( ({self.program(inner)}) )",
            lambda: f"(({self.program(inner)}) )",
            lambda: f"{{ {self.program(inner)}; }}",
            lambda: f"{{ {self.program(inner)}\n}} 2>&1",
            lambda: f"if {self.simple(inner)}; then {self.program(inner)}; else {self.program(inner)}; fi",
            lambda: f"if({self.simple(inner)})then {self.program(inner)}\nelif {self.simple(0)}\nthen {self.simple(0)}; fi",
            lambda: f"while {self.simple(inner)}; do {self.program(inner)}; break; done",
            lambda: f"until {self.simple(inner)}\ndo {self.program(inner)}; break\ndone",
            lambda: f"for i in a {self.word(inner)}; do {self.program(inner)}; done",
            lambda: f"for i in a; {{ {self.program(inner)}; }}",
            lambda: f"for ((i=0; i<1; i++)); do {self.program(inner)}; done",
            lambda: f"for ((i=$({self.marker()}) 0; i<$({self.marker()}) 1; i++)) {{ {self.simple(0)}; }}",
            lambda: self.case(inner),
            lambda: f"case x in $({self.marker()})|*) {self.program(inner)} ;& y) {self.simple(0)}\n;;& (z) esac",
            lambda: f"f() {{ {self.program(inner)}; }}; f",
            lambda: f"function f {{ {self.program(inner)}; }}\nf",
            lambda: f"function f()\n( {self.program(inner)} ); f",
            lambda: f"! {self.simple(inner)}",
            lambda: f"! ! {self.simple(0)}",
            lambda: f"time -p {self.simple(0)}",
            lambda: f"time {{ {self.program(inner)}; }}",
            lambda: f"[[ {self.word(inner)} {self.text('==', '!=', '<', '=', '=~')} {self.word(inner)} ]]",
            lambda: f"[[ -n {self.word(inner)} && ( x || $({self.marker()}) ) ]]",
            lambda: f"[[ a =~ ^($({self.marker()})|a b) ]] || {self.simple(0)}",
            lambda: f"(( 1 + {self.text('1', f'$({self.marker()})', f'`{self.marker()}`')} ))",
            lambda: f"v=(a {self.word(inner)}\n [1]={self.word(inner)} [$({self.marker()})]=b)",
            lambda: f"declare -a v=(a {self.word(inner)})",
            lambda: f"export v={self.word(inner)}",
            lambda: f"coproc {self.marker() if self.tame else self.simple(0)}",
            lambda: f"coproc X {{ {self.simple(0)}; }}",
        )

    def case(self, inner: int) -> str:
        second = self.text("*)", "(*)", "?) ;; *)", "[$v])")
        return f"case {self.word(0)} in a|b) {self.program(inner)};; {second} {self.program(inner)};; esac"

    def document(self) -> str:
        opening = self.text("E", "'E'", "\\E", '"E"', "E", "-E", "-'E'", " E", "E\\\nF")
        body = "\n".join(self.document_line() for _ in range(self.random.randint(1, 2)))
        after = self.text("", f" | {self.marker()}", f"; {self.marker()}", f" && {self.marker()}", f" $({self.marker()}\nm0)")
        end = "EF" if opening.endswith("F") else self.text("E", "E", "E", "\tE")
        if self.tame:
            body = "\n".join(line.removesuffix("x\\") for line in body.split("\n"))
            end = end.strip()
        return f"{self.simple(0)} <<{opening}{after}\n{body}\n{end}\n"

    def document_line(self) -> str:
        marker = self.marker()
        return self.text(
            "hi", f"$({marker})", f"`{marker}`", "it's", '"q', "E x", " E", "x\\", "$v", "\tE", f"${{v:-$({marker})}}",
            "$((1+1))", f"$((1+$({marker})))", ")", f"\\$({marker})", marker, "#", f"\t$({marker} '\t)')",
            f"${{v:-'$({marker})'}}", f'"$({marker})"', f"\\\\$({marker})", f'`{marker} \\"x\\"`',
            f"$({marker} <<F\n$({marker})\nF\n)", "E)",
        )  # fmt: skip

    def word(self, depth: int) -> str:
        word = self.any_word(depth)
        # Within `[[ ]]` bash refuses these, and says so only when it comes to run it.
        return "x" if self.tame and word in ("[[", "]]") else word

    def any_word(self, depth: int) -> str:
        if depth <= 0 or self.random.random() < 0.3:
            return self.text(
                "a", '"b c"', "'d e'", "\\;", "x#y", "$v", '"$v"', "{}", "a\\\nb", "$'q\\n'", "$'\\''", '""', "''", '\\"',
                "\\'", "=", "-n", "{a,b}", "*", "[x]", '"a\\"b"', "k", "!", "}", "fi", "é", "${v}", "${#v}", "${!v}",
                "${v[0]}", "${v[@]}", '"$@"', "$#", "${#}", "$$", "a=b", '"$"', "$", "${v%%*}", "${v/a/b}", "${v:1:2}",
                "${v^^}", "$[1+1]", "${v@Q}", "[[", "]]", "\u00a0", "a\rb",
            )  # fmt: skip
        inner = depth - 1
        return self.one_of(
            self.quoted_marker,
            self.quoted_marker,
            lambda: f"$({self.program(inner)})",
            lambda: f"$( ({self.program(inner)}) )",
            lambda: f"$(({self.program(inner)}) )",
            lambda: f"`{self.simple_without_quotes(inner)}`",
            lambda: f'"$({self.program(inner)})"',
            lambda: f'"`{self.simple_without_quotes(0)}`"',
            lambda: f"`m0 \\`{self.simple_without_quotes(0)}\\``",
            lambda: f"<({self.simple(inner)})",
            lambda: f"x<({self.simple(inner)})",
            lambda: f">({self.simple(0)})",
            lambda: f"${{v:-{self.word(inner)}}}",
            lambda: f'"${{v:-{self.word(inner)}}}"',
            lambda: f"\"${{v:-'$({self.marker()})'}}\"",
            lambda: f"${{v{self.text('#', '%', '//', '+', '-', '^', ':=', '=', '/#', ',,')}{self.word(inner)}}}",
            lambda: f'"${{v{self.text("#", "%", "//", "^")}{self.word(inner)}}}"',
            lambda: f"${{v:$({self.marker()}):1}}",
            lambda: f"${{v[$({self.marker()})]}}",
            lambda: f"$((1+{self.text('2', f'$({self.marker()})', 'v', '(3)', '1<<2', f'`{self.marker()}`')}))",
            lambda: f"$[1+$({self.marker()})]",
            lambda: "'" + self.program(inner).replace("'", "") + "'",
            lambda: self.word(inner) + self.word(inner),
            lambda: f'"a{self.word(inner)}"' if depth > 1 else "x",
            lambda: f'$"$({self.marker()})"',
            lambda: f"$({self.document()})",
        )

    def quoted_marker(self) -> str:
        """Returns a quoted marker, which must not run: it would if bash dropped the quotes."""
        name = f"m{self.count + 1}"
        self.count += 1
        return self.text(
            f"\\$\\({name}\\)", f'"\\$({name})"', f"\\`{name}\\`", f'"\\`{name}\\`"', f"'$({name})'", f"'`{name}`'",
            f"$'\\x24({name})'",
            f"\\;{name}\\;", f"';{name};'", f"$'\\x60{name}`'", f"$'\\x27;{name};:\\x27'", f'"\n{name}\n"', f"\\\n\\;{name}",
        )  # fmt: skip

    def simple_without_quotes(self, depth: int) -> str:
        """Returns a command that may stand within backquotes unchanged."""
        text = self.simple(depth)
        return text if not {"`", "\\", '"'} & set(text) else f"m{self.count}"

    def mutate(self, text: str) -> str:
        """Cuts out, doubles or moves some places of the text, or inserts what may upset a parser."""
        for _ in range(self.random.choice((0, 1, 1, 2, 3))):
            place = self.random.randint(0, len(text))
            chance = self.random.random()
            if chance < 0.5:
                text = text[:place] + self.random.choice(_UPSETTING) + text[place:]
            elif chance < 0.85:
                text = text[:place] + text[place + self.random.randint(1, 3) :]
            else:
                other = self.random.randint(0, len(text))
                text = text[:place] + text[other : other + self.random.randint(1, 8)] + text[place:]
        return text


_BETWEEN = (
    " && ", " || ", " | ", "; ", "\n", " & ", ";", "&&", "|& ", "|", " &\\\n& ", " &&\n", " |\n", "\n\n", " ; # c\n", ' # "\n',
    " # '\n", " # $(\n", "; # \\\n", " && # `\n", " | # (\n",
)  # fmt: skip
# Bash takes `((a) ; b)` for arithmetic at first, and the quotes in its comments for quotes.
_TAME_BETWEEN = tuple(between for between in _BETWEEN if "#" not in between)

_UPSETTING = (
    "$(", ")", "`", '"', "'", "\\", "\n", "#", " # ", "{", "}", "(", " ", ";", ";;", "&", "|", "<<E\n", "\nE\n", "${v:-", "}",
    "$((", "))", "((", "case x in ", "esac", " in ", "a)", "if ", "then ", "fi", "do ", "done", "\\\n", "<(", "!", " ! ", "$",
    "$'", '$"', "@(", "[[ ", " ]]", "=", "v=(", "[$(m77)]", "%", "\t", "é", "\u00a0", "\u2028", "function f ", "f()", "coproc ",
    "{a,b}", "*", "\r", "\x0b", "$[", "]", "[", "v[", "<<-E", "<<<", ";&", "time ", "${", "${v/", "${#", "$'\\", "\\`", '\\"',
    "<<'E'\n", "/", ":", "?(", "+=", "declare v=(", "2", "for i in ", "=~ ",
)  # fmt: skip


def is_harmless(text: str) -> bool:
    """Returns whether a program may run: it can be passed to a process, and cannot write a file."""
    harmless = text.replace("2>&1", "").replace("2\\\n>&1", "").replace(">(", "")
    return len(text) < 3000 and "\0" not in text and ">" not in harmless and "~" not in text


def run(programs: list[str], bash: str, folder: Path) -> list[set[str]]:
    """Returns the markers that ran in each program; nothing for a program that did not end."""
    logs = folder / "logs"
    scratch = folder / "scratch"
    for path in (logs, scratch):
        path.mkdir(parents=True, exist_ok=True)
    for log in logs.iterdir():
        log.unlink()
    command = [bash, "--norc", "--noprofile", "-c", _DRIVER, "markers", *programs]
    shell = subprocess.Popen(
        [os.fsencode(part) for part in command],
        env=_ENVIRONMENT | {"LOGS": str(logs)},
        cwd=scratch,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        shell.wait(timeout=10 if len(programs) > 1 else 2)
    except subprocess.TimeoutExpired:
        os.killpg(shell.pid, signal.SIGKILL)
        shell.wait()
        if len(programs) == 1:
            return [set()]
        middle = len(programs) // 2
        return run(programs[:middle], bash, folder) + run(programs[middle:], bash, folder)
    return [_read_log(logs / str(number)) for number in range(len(programs))]


def _read_log(log: Path) -> set[str]:
    return set(log.read_bytes().decode("utf-8", "surrogateescape").split("\n")) - {""} if log.exists() else set()


def commands(tree: object) -> Iterator[syntax.Simple]:
    """Yields every simple command that has a name, anywhere in the tree."""
    if isinstance(tree, syntax.Simple) and tree.words:
        yield tree
    if isinstance(tree, tuple):
        for part in tree:
            yield from commands(part)
    elif is_dataclass(tree):
        for field in fields(tree):
            yield from commands(getattr(tree, field.name))


def name(command: syntax.Simple) -> str | None:
    """Returns the command's name, if it is certain from the text alone."""
    text = ""
    word = command.words[0]
    for piece in word.pieces if isinstance(word, syntax.ShellWord) else ():
        if not isinstance(piece, syntax.Text) or (
            not piece.quoted and piece.value != "[" and re.search(r"[*?\[{~]", piece.value)
        ):
            return None
        text += piece.value
    return text


def literal_text(word: object) -> str:
    pieces = word.pieces if isinstance(word, syntax.ShellWord) else ()
    return "".join(piece.value for piece in pieces if isinstance(piece, syntax.Text))


_MARKER = re.compile(r"m[0-9]+").fullmatch


def find_missed(ran: set[str], program: syntax.Program, text: str) -> set[str]:
    """Returns the markers that ran and that no command of the tree is called.

    If a command's name is an expansion, the expansion may be empty, and any word of that command may be its name.
    """
    names, unsure = set(), ""
    for command in commands(program):
        called = name(command)
        if called is None:
            unsure += text[slice(*command.span)].replace("\\\n", "") + "\n"
            unsure += "\n".join(map(literal_text, command.words))
        else:
            names.update(called.split("\n"))  # as the log has it
    beginnings = tuple(re.findall(r"m[0-9]+|m(?=[$`])", re.sub(r"['\"\\]", "", unsure)))
    return {marker for marker in ran - names if _MARKER(marker) and not marker.startswith(beginnings)}

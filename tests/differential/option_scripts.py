"""Random scripts that loop over the options they are called with: tests, `case`, `getopts` and `shift` on known values, and on
values that are one of several."""

import random
from collections.abc import Callable

_LITERALS = ("a", "b", "ab", "", "-n", "a b", "0", "1", "2")
_ARGUMENTS = ("a", "b", "-n", "ab", "-b x", "''", "'a b'", "-ab", "--", "-bx")
_VALUES = ('"$x"', '"$y"', '"$1"', '"$2"', '"${1:-}"', '"${x:-a}"', '"$#"')
_PATTERNS = ("a", "b", '"ab"', "a*", "-n")
_SHOWN = ("", "", ' "$x"', ' "$y" "$1"', ' "$x" "$#"')
_UNDECIDED = ("[ -d / ]", "[ -f /nowhere ]", "[ -e m1 ]", "[ -x /bin/sh ]")
"""Tests whose outcome depends on the machine."""


class OptionScripts:
    """`bash`: programs have more in them than POSIX asks for."""

    def __init__(self, seed: int, *, bash: bool = True) -> None:
        self.random, self.bash = random.Random(seed), bash

    def program(self) -> list[str]:
        body = [self.statement(3) for _ in range(self.random.randrange(2, 6))]
        arguments = [self.choose(_ARGUMENTS) for _ in range(self.random.randrange(4))]
        return [f"f() {{\n{chr(10).join(body)}\n}}; f {' '.join(arguments)}"]

    def choose(self, choices: tuple[str, ...]) -> str:
        return self.random.choice(choices)

    def marker(self) -> str:
        return f"m{self.random.randrange(1, 9)}{self.choose(_SHOWN)}"

    def quoted(self) -> str:
        return f"{mark}{self.choose(_LITERALS)}{mark}" if (mark := self.choose(("'", '"'))) else ""

    def block(self, depth: int) -> str:
        return "; ".join(self.statement(depth) for _ in range(self.random.randrange(1, 4)))

    def statement(self, depth: int) -> str:
        if depth <= 0:
            return self.marker()
        forms: tuple[Callable[[int], str], ...] = (
            lambda _depth: self.marker(),
            self.assignment,
            self.possible_change,
            self.branches,
            self.chain,
            self.case,
            self.option_loop,
            self.getopts_loop,
            self.arguments,
            self.group,
        )
        return self.random.choice(forms)(depth - 1)

    def assignment(self, _depth: int) -> str:
        return f"{self.choose(('x', 'y', 'z'))}={self.choose((self.quoted(), self.choose(_VALUES)))}"

    def possible_change(self, depth: int) -> str:
        change = self.choose((self.assignment(depth), f"set -- {self.choose(_ARGUMENTS)}"))
        return self.choose((f"{self.choose(_UNDECIDED)} && {change}", f"if {self.choose(_UNDECIDED)}; then {change}; fi"))

    def test(self) -> str:
        value, literal = self.choose(_VALUES), self.quoted()
        forms = [
            f"[ -z {value} ]",
            f"[ -n {value} ]",
            f"[ {value} = {literal} ]",
            f"[ {value} != {self.choose(_VALUES)} ]",
            f"[ $# {self.choose(('-gt', '-eq', '-le', '-ne'))} {self.random.randrange(3)} ]",
            f"! [ {value} = {literal} ]",
            f"test {value} = {self.choose(('a', 'b', 'ab'))}",
            f"[ -d {value} ]",
            f"[ {self.choose(('$x', '$1', value))} ]",
            "(exit 1)",
        ]
        if self.bash:
            operator = self.choose(("==", "=", "!="))
            forms.append(f"[[ {self.choose(('$x', '$1', value))} {operator} {self.choose(_PATTERNS)} ]]")
        return self.random.choice(forms)

    def branches(self, depth: int) -> str:
        first, second, last = (self.block(depth) for _ in range(3))
        return f"if {self.test()}; then {first}; elif {self.test()}; then {second}; else {last}; fi"

    def chain(self, _depth: int) -> str:
        operators = ("&&", "||")
        first, last = self.choose((self.marker(), self.test())), self.choose((self.marker(), self.marker(), "return", "exit"))
        return f"{self.test()} {self.choose(operators)} {first} {self.choose(operators)} {last}"

    def case(self, depth: int) -> str:
        subject, end = self.choose((*_VALUES, "$x", "$1")), self.choose((";;", ";&", ";;&")) if self.bash else ";;"
        first, second, last = (self.block(depth) for _ in range(3))
        middle = self.choose(("b|ab", "?", "-*", "*b"))
        arms = f"{self.choose(_PATTERNS)}) {first}{end} {middle}) {second};; {self.choose(('*', 'a'))}) {last};;"
        return f"case {subject} in {arms} esac"

    def option_loop(self, depth: int) -> str:
        arms = f"{self.choose(('-n', 'a'))}) {self.block(depth)};; {self.choose(('-*', 'b'))}) x=$2; shift;;"
        step = self.choose(("shift", f"shift; {self.marker()}", "shift; test x$1 = xb && break"))
        return f'while [ $# -gt 0 ]; do case "$1" in {arms} esac; {step} || break; done'

    def getopts_loop(self, depth: int) -> str:
        arms = f"a) {self.block(depth)};; n) x=${{OPTARG:-q}};; b) y=$OPTARG; {self.marker()};; *) {self.marker()};;"
        return f"while getopts {self.choose(('ab:n', 'an', 'n:', 'b:'))} o; do case $o in {arms} esac; done"

    def arguments(self, _depth: int) -> str:
        return self.choose((f"shift; {self.marker()}", "set -- a -n", "set -- -ab", "set -- b"))

    def group(self, depth: int) -> str:
        body = self.block(depth)
        return self.choose((f"{{ {body}; }} || {self.marker()}", f"({body})", f"{self.test()} && {{ {body}; }}"))

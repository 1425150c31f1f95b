"""Generates awk programs whose commands print what they are."""

from __future__ import annotations

import re
from collections.abc import Callable
from types import MappingProxyType

from differential.script_programs import Forms, ScriptPrograms

HEAD = """\
function chance() { return rand() < 0.5 }
function say(t) { print t; return 1 }
BEGIN { srand(ENVIRON["SEED"]) }
"""


class AwkPrograms(ScriptPrograms):
    markers = MappingProxyType({"system": "shell"})
    head = HEAD

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        self._functions: dict[str, str] = {}

    def __next__(self) -> str:
        self._functions = {}
        blocks = [self._block(self.random.randrange(3)) for _ in range(self.random.randrange(1, 4))]
        places = (
            "BEGIN {{ {} }}",
            "{{ {} }}",
            "END {{ {} }}",
            "NR == 1 {{ {} }}",
            '$1 == "a" {{ {} }}',
            "/b/ {{ {} }}",
            "NF {{ {} }}",
        )
        rules = [self.random.choice(places).format(block) for block in blocks]
        return self.head + "\n".join((*self._find_called_functions("\n".join(rules)), *rules)) + "\n"

    def _find_called_functions(self, text: str) -> list[str]:
        """Returns the functions that a text calls, directly or through others. Any other function would be read with unknown
        arguments, which cover every call."""
        found: dict[str, str] = {}
        waiting = [text]
        while waiting:
            names = {name for name in re.findall(r"\w+(?=\()", waiting.pop()) if name in self._functions and name not in found}
            found |= {name: self._functions[name] for name in names}
            waiting += [self._functions[name] for name in names]
        return [found[name] for name in self._functions if name in found]

    def quote(self, text: str) -> str:
        return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'

    def define(self, parameters: str, body: str) -> str:
        """Returns the name of a function that is new in this program."""
        name = self.name()
        self._functions[name] = f"function {name}({parameters}) {{ {body} }}"
        return name

    def texts(self, text: str, inner: Callable[[str], str], v: str) -> Forms:
        left, right = self.split(text)
        return [
            lambda: f"({inner(left)} {inner(right)})",
            lambda: f"({inner(left)}{inner(right)})",
            lambda: f'sprintf("%s%s", {inner(left)}, {inner(right)})',
            lambda: f'sprintf("{left}%s", {inner(right)})',
            lambda: f"substr({inner('x' + text)}, 2)",
            lambda: f"substr({inner(text + 'xy')}, 1, length({inner(text)}))",
            lambda: f"tolower({inner(text.upper())})",
            lambda: f'(1 ? {inner(text)} : "no")',
            lambda: f'(0 ? "no" : {inner(text)})',
            lambda: f'(chance() ? {inner(text)} : "no")',
            lambda: f"({v} = {inner(text)})",
            lambda: f"({v}[1] = {inner(text)})",
            lambda: f"{self.define(v, f'return {v}')}({inner(text)})",
            lambda: f"{self.define('', f'return {inner(text)}')}()",
            lambda: f"{self.define(f'a, {v}', f'return a {v}')}({inner(left)}, {inner(right)})",
            lambda: f'"\\{ord(text[0]):03o}{text[1:]}"',
            lambda: f'sprintf("%c%s", {ord(text[0])}, {inner(text[1:])})',
            lambda: self.define(v, f"sub(/Q/, {self.quote(right)}, {v}); return {v}") + f"({inner(left + 'Q')})",
            lambda: self.define(v, f'gsub("QQ", {self.quote(right)}, {v}); return {v}') + f"({inner(left + 'QQ')})",
            lambda: self.define(f"{v}, p", f'split({v}, p, ":"); return p[2]') + f'("no:" {inner(text)})',
            lambda: f'({inner(text)} "")',
        ]

    def functions(self, name: str) -> list[str]:
        return [
            f"{name}(@)",
            f"{name}( @ )",
            f"{name}((@))",
            f"{self.define('c', 'return system(c)')}(@)",
            f"{self.define('c,   local', 'local = c; system(local)')}(@)",
            "((@ | getline zz) > 0 ? say(zz) : 0)",
            f"{self.define('c,  line', 'while ((c | getline line) > 0) print line; close(c)')}(@)",
            self.define("c", 'print c | "sh"; close("sh")') + "(@)",
        ]

    def list_statements(self, call: Callable[[str], str], e: str, x: str, y: str, z: str) -> Forms:
        return [
            lambda: f"{call(e)}",
            lambda: f"{x} = {e}; {call(x)}",
            lambda: f'{x} = "no"; if (chance()) {x} = {e}; {call(x)}',
            lambda: f'if (chance()) {{ {x} = {e} }} else {x} = "no"\n{call(x)}',
            lambda: f"{x}[1] = {e}; {call(f'{x}[1]')}",
            lambda: f'{x}["k"] = {e}; {y} = "k"; {call(f"{x}[{y}]")}',
            lambda: f"{x}[1, 2] = {e}; {call(f'{x}[1, 2]')}",
            lambda: f"{x}[{e}]; for ({y} in {x}) {call(y)}",
            lambda: f'{x}["a"] = {e}; for ({y} in {x}) {{ {call(f"{x}[{y}]")} }}',
            lambda: f"for ({y} = 1; {y} <= 2; {y}++) {x}[{y}] = {e}; {call(f'{x}[2]')}",
            lambda: f'{x} = {e}; while (chance()) {{ {call(x)}; {x} = "no" }}',
            lambda: f'{x} = "no"; do {{ {call(x)}; {x} = {e} }} while (chance())',
            lambda: f"$0 = {e}; {call('$0')}",
            lambda: f"$2 = {e}; {call('$2')}",
            lambda: f'$0 = "a b"; $2 = {e}; $1 = ""; {call("$0")}',
            lambda: f'$0 = "e"; OFS = "ch"; $2 = substr({e}, 4); {call("$0")}',
            lambda: f'$0 = {e}; FS = "/"; {call("$1 $2")}',
            lambda: f'{x} = {e}; $0 = "a"; $1 = {x}; {call("$1")}',
            lambda: f'$0 = {e} " no"; NF = 2; {call("$0")}',
            lambda: f'if ("1" == "1.0") ; else {call(e)}',
            lambda: f'if ({x} == 0 && {x} == "") {call(e)}',
            lambda: f"{x}[1]; if (length({x}) == 1) {call(e)}",
            lambda: f'if ({x}["k"] == "") if ("k" in {x}) {call(e)}',
            lambda: f'$0 = "a:" {e}; split($0, {x}, ":"); {call(f"{x}[2]")}',
            lambda: f'{x} = split("no|" {e}, {y}, "|"); {call(f"{y}[{x}]")}',
            lambda: f"{self.define(y, call(y))}({e})",
            lambda: f"{self.define(f'{y}, n', f'if (n > 0) return {y}; return {x}')}(1); {call(e)}",
            lambda: f"{self.define(y, f'{y}[1] = {e}')}({x}); {call(f'{x}[1]')}",
            lambda: f"{self.define('', f'{x} = {e}')}(); {call(x)}",
            lambda: f"{x} = {e} ; # {y}\n{call(x)}",
            lambda: f'if ("" == 0) ; {call(e)}',
            lambda: f"if (!{x}) {call(e)}",
            lambda: f"if ({x} == 0) {call(e)}",
            lambda: f'if ({x} == "") {call(e)}',
            lambda: f"{x}++; if ({x} == 1) {call(e)}",
            lambda: f'if ("10" > "9") {x} = 1; else {call(e)}',
            lambda: f'if (!("k" in {x})) {call(e)}',
            lambda: f'{x}["k"]; delete {x}["k"]; if (!("k" in {x})) {call(e)}',
            lambda: f'{x} = "3x" + 1; if ({x} == 4) {call(e)}',
            lambda: f"{x} = 2 ^ 3; if ({x} == 8 && -2 ^ 2 == -4) {call(e)}",
            lambda: f'if ("abc" ~ /b/ && "abc" !~ "z") {call(e)}',
            lambda: f"{x} = 1; {x} += 2; {x} *= 2; if ({x} == 6) {call(e)}",
            lambda: f"{x} = 7 % 4; if ({x} > 2) {call(e)}",
        ]

    def wrappers(self, body: str, x: str, y: str) -> list[str]:
        return [
            f"if (chance()) {{ {body} }}",
            f"if (chance()) {x} = 1; else {{ {body} }}",
            f"if (!chance())\n{{\n{body}\n}}\nelse if (chance()) {{ {body} }}",
            f"for ({x} = 0; {x} < 2; {x}++) {{ {body} }}",
            f"for (;;) {{ {body}; break }}",
            f"while ({x} < 1) {{ {x}++; {body} }}",
            f"do {{ {body} }} while (0)",
            f'{y}["a"]; for ({x} in {y}) {{ {body} }}',
            f"{{ {body} }}",
            f"{self.define('', body)}()",
            f"{self.define('n', f'if (n == 0) {{ {body} }} else return 1')}(0)",
            f"if ({x}) exit\n{body}",
            f"{body}; if (chance()) exit",
            f"while (1) {{ if (chance()) {{ {body} }} break }}",
        ]

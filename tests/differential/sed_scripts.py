"""Generates random scripts of sed: substitutions with patterns of both syntaxes, lines deleted, printed, added and changed."""

import random
from typing import NamedTuple

TEXTS = (
    'alpha beta\nname = "x"\n# note\n\nversion: 1.2.3\nfoo/bar baz\nfoo foo foo\n',
    "one\ntwo",
    "\n\n",
    "a\n",
    "x=1;y=2\npath=/usr/bin:/bin\n\tindented [ok] {a}\n(b)+c*d.e^f$g\n",
    "import os\nos.system('rm -rf dist')\nprint(1)\n",
    "v1\nv2\nv3\nv4\nv5\nv6\n",
    "",
)
_ATOMS = (
    *("a", "o", "foo", "[a-z]", '[^"]', "[0-9]", "[[:space:]]", ".", r"\.", "x", "=", "/bar", '"', ":", "1", "v", "^", "$"),
    *(r"\(fo\)", r"\(b\)", "[]x]", "[^]]", r"\w", r"\b", r"\s", "#", "e", "&", r"\n", "[/]", " ", "-", "(", ")", "{", "+", "?"),
    *("|", r"\$", r"\*", "[.*]", "os", r"\[ok\]", r"\(foo\|os\)", "(foo|os)", r"\(x\|path\|b\)"),
)
_REPETITIONS = {False: ("", "", "", "*", r"\+", r"\?", r"\{1,2\}", r"\{2\}"), True: ("", "", "", "*", "+", "?", "{1,2}", "{2}")}
_REPLACEMENTS = ("X", "&", r"\1", "y z", "", r"\n", r"\&", "Q", r"\\", '"', "1.2")


class SedCall(NamedTuple):
    script: str
    text: str
    extended: bool
    quiet: bool


class SedCalls:
    def __init__(self, seed: int) -> None:
        self.dice = random.Random(seed)

    def call(self) -> SedCall:
        extended, quiet = self.dice.random() < 0.4, self.dice.random() < 0.2
        commands = [self._command(extended) for _ in range(self.dice.choice((1, 1, 1, 2, 3)))]
        return SedCall("\n".join(commands), self.dice.choice(TEXTS), extended, quiet)

    def _command(self, is_extended: bool) -> str:
        kind = self.dice.random()
        address = self._addresses(is_extended)
        if kind < 0.6:
            delimiter = self.dice.choice("//|#,@")
            pattern = self._pattern(is_extended).replace("/", r"\/") if delimiter == "/" else self._pattern(is_extended)
            replacement = "".join(self.dice.choice(_REPLACEMENTS) for _ in range(self.dice.choice((0, 1, 1, 2, 3))))
            flags = self.dice.choice(("", "", "g", "2", "p", "I", "gp", "2g"))
            return f"{address}s{delimiter}{pattern}{delimiter}{replacement}{delimiter}{flags}"
        if kind < 0.75:
            return address + self.dice.choice("dpq")
        if kind < 0.9:
            return address + self.dice.choice("aic") + self.dice.choice((" new line", "\\\nnew line", "\\  lead", " x;y"))
        return f"{address}y/abc/xyz/"

    def _addresses(self, is_extended: bool) -> str:
        kind = self.dice.random()
        if kind > 0.4:
            return ""
        addresses = [self._address(is_extended) for _ in range(1 if kind < 0.25 else 2)]
        return ",".join(addresses) + ("!" if self.dice.random() < 0.15 else "")

    def _address(self, is_extended: bool) -> str:
        kind = self.dice.random()
        if kind < 0.4:
            return str(self.dice.randint(1, 5)) if kind < 0.3 else "$"
        return "/" + self._pattern(is_extended).replace("/", r"\/") + "/"

    def _pattern(self, is_extended: bool) -> str:
        parts = []
        for _ in range(self.dice.choice((1, 1, 2, 3, 4))):
            atom = self.dice.choice(_ATOMS)
            if is_extended and atom.startswith(r"\("):
                atom = atom.replace("\\", "")
            parts.append(atom + self.dice.choice(_REPETITIONS[is_extended]))
        before, after = ("^" if self.dice.random() < 0.2 else ""), ("$" if self.dice.random() < 0.2 else "")
        return before + "".join(parts) + after

"""What the generators of Ruby, PHP, Lua and Perl share: programs around calls that are stubbed.

A program may branch on a value that is only known when it runs (`chance()`); whichever branch it takes, its calls must be among
those that are read.
"""

from __future__ import annotations

import random
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping

Forms = list[Callable[[], str]]


class ScriptPrograms(ABC):
    """Programs for a seed, by number. `markers`: the calls that are stubbed, with what they do: `delete` or `shell`."""

    markers: Mapping[str, str]
    head = ""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self._number = 0

    def __iter__(self) -> ScriptPrograms:
        return self

    def __next__(self) -> str:
        blocks = [self._block(self.random.randrange(3)) for _ in range(self.random.randrange(1, 4))]
        return self.head + "\n".join(blocks) + "\n"

    def name(self) -> str:
        self._number += 1
        return f"v{self._number}"

    # ---- what a language says

    @abstractmethod
    def quote(self, text: str) -> str: ...

    @abstractmethod
    def texts(self, text: str, inner: Callable[[str], str], v: str) -> Forms:
        """Returns expressions that evaluate to a text; `inner` makes one for a part of it."""

    @abstractmethod
    def functions(self, name: str) -> list[str]:
        """Returns expressions that call this function, with `@` in place of its argument."""

    @abstractmethod
    def list_statements(self, call: Callable[[str], str], e: str, x: str, y: str, z: str) -> Forms:
        """Returns statements that make a call; `call` makes a call of an expression."""

    @abstractmethod
    def wrappers(self, body: str, x: str, y: str) -> list[str]:
        """Returns statements around other statements."""

    # ---- composed

    def text(self, text: str, depth: int = 0) -> str:
        if depth > 2 or len(text) < 3 or self.random.random() < 0.3:
            return self.quote(text)
        return self.random.choice(self.texts(text, lambda part: self.text(part, depth + 1), self.name()))()

    def split(self, text: str) -> tuple[str, str]:
        at = self.random.randrange(1, max(2, len(text)))
        return text[:at], text[at:]

    def _block(self, depth: int) -> str:
        body = self._leaf() if depth == 0 else self._block(depth - 1)
        if not depth or self.random.random() < 0.1:
            return body
        return self.random.choice(self.wrappers(body, self.name(), self.name()))

    def _leaf(self) -> str:
        function, kind = self.random.choice(list(self.markers.items()))
        marker = f"/zz/m{self.random.randrange(10**6)}"
        e = self.text(f"echo {marker}" if kind == "shell" else marker)
        form = self.random.choice(self.functions(function))
        forms = self.list_statements(lambda given: form.replace("@", given), e, self.name(), self.name(), self.name())
        return self.random.choice(forms)()

"""A person at a terminal: a verb runs on a real pseudo-terminal, which is read and typed to."""

import os
import pty
import re
import select
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass

SECONDS = 30.0


@dataclass
class Keyboard:
    """`shown`: everything that was on the screen so far."""

    number: int
    terminal: int
    shown: str = ""

    def wait_for(self, pattern: str) -> str:
        """Waits for an expression. Returns its first group, or the whole match."""
        ends = time.monotonic() + SECONDS
        while not (found := re.search(pattern, self.shown)):
            if not select.select([self.terminal], [], [], max(0.0, ends - time.monotonic()))[0]:
                raise AssertionError(f"{pattern} never came: {self.shown}")
            self.shown += self._read()
        return found[found.lastindex or 0]

    def type(self, text: str) -> None:
        os.write(self.terminal, f"{text}\n".encode())

    def wait_for_exit(self) -> int:
        """Returns the exit code, after reading all output."""
        while text := self._read():
            self.shown += text
        os.close(self.terminal)
        return os.waitstatus_to_exitcode(os.waitpid(self.number, 0)[1])

    def _read(self) -> str:
        try:
            return os.read(self.terminal, 4096).decode(errors="replace")
        except OSError:  # nobody holds the other end any more
            return ""


def sit_down(environ: Mapping[str, str], *words: str) -> Keyboard:
    number, terminal = pty.fork()
    if number == 0:
        os.execve(sys.executable, [sys.executable, "-m", "toolgate", *words], dict(environ))
    return Keyboard(number, terminal)

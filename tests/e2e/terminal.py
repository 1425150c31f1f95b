"""A terminal with a person at it: the client in tmux, the text on its screen, and keys."""

import shutil
import subprocess
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest

from e2e import clients

PATIENCE = 30


class Terminal:
    def __init__(self, socket: Path) -> None:
        self._tmux = ("tmux", "-S", str(socket))

    def screen(self) -> str:
        return self._run("capture-pane", "-p", "-J")

    def press_keys(self, *keys: str) -> None:
        self._run("send-keys", *keys)

    def wait_until(self, is_seen: Callable[[str], bool]) -> str:
        """Returns the first screen for which the condition holds."""
        for _ in range(PATIENCE * 5):
            screen = self.screen()
            if is_seen(screen):
                return screen
            time.sleep(0.2)
        pytest.fail(f"it never came to that; the screen is\n{self.screen()}")

    def press_until(self, key: str, is_seen: Callable[[str], bool]) -> None:
        """Presses again if nothing happens: the client ignores keys for a moment after it has drawn a question."""
        for _ in range(PATIENCE):
            self.press_keys(key)
            for _ in range(10):
                if is_seen(self.screen()):
                    return
                time.sleep(0.2)
        pytest.fail(f"it never came to that; the screen is\n{self.screen()}")

    def start(self, words: Sequence[str], folder: Path) -> None:
        self._run("-f", "/dev/null", "new-session", "-d", "-x", "160", "-y", "50", "-c", str(folder), *words)

    def end(self) -> None:
        self._run("kill-server")

    def _run(self, *words: str) -> str:
        return subprocess.run([*self._tmux, *words], capture_output=True, text=True, check=True).stdout


@contextmanager
def terminal(words: Sequence[str], folder: Path) -> Iterator[Terminal]:
    if shutil.which("tmux") is None:
        clients.skip_or_fail("tmux is the terminal here, and cannot be found")
    new_terminal = Terminal(folder.parent / "tmux")
    new_terminal.start(words, folder)
    try:
        yield new_terminal
    finally:
        new_terminal.end()

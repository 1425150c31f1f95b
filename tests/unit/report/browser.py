"""A headless Chromium, driven through its pipe (Chrome DevTools Protocol), and axe-core from npm, pinned and kept in the cache.

`REQUIRE_BROWSER=1` makes a missing one a failure; without it, their tests are skipped.
"""

import fcntl
import json
import os
import shutil
import subprocess
from base64 import b64decode
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NoReturn

import pytest

CACHE = Path(__file__).parents[3] / ".cache" / "clients"
AXE = "4.14.1"
FLAGS = (
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--disable-extensions", "--no-first-run"),
    *("--remote-debugging-pipe", "--disable-background-networking", "--disable-component-update", "--disable-sync"),
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
)
SECONDS = 60


def skip_or_fail(reason: str) -> NoReturn:
    if os.environ.get("REQUIRE_BROWSER") == "1":
        pytest.fail(reason)
    pytest.skip(reason)


def axe_core() -> str:
    """Returns the source of axe-core, installed on first use."""
    folder = CACHE / f"axe-core-{AXE}"
    file = folder / "node_modules" / "axe-core" / "axe.min.js"
    npm = shutil.which("npm")
    if not file.exists() and npm:
        folder.mkdir(parents=True, exist_ok=True)
        words = [npm, "install", "--no-audit", "--no-fund", "--ignore-scripts", "--prefix", str(folder), f"axe-core@{AXE}"]
        subprocess.run(words, capture_output=True, timeout=5 * SECONDS, check=False)
    if not file.exists():
        skip_or_fail("axe-core cannot be had: npm could not install it")
    return file.read_text()


class Page:
    """One tab. `messages`: what the page logged, and what its policy refused."""

    def __init__(self, to_browser: int, from_browser: int) -> None:
        self._out = os.fdopen(to_browser, "wb", buffering=0)
        self._in = os.fdopen(from_browser, "rb", buffering=0)
        self._unread = b""
        self._number = 0
        self._session = ""
        self.messages: list[str] = []
        self.requested: list[str] = []
        target = self.send("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.send("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.send(f"{domain}.enable")

    def close(self) -> None:
        self._out.close()
        self._in.close()

    def send(self, method: str, **parameters: Any) -> dict[str, Any]:
        self._number += 1
        message = {"id": self._number, "method": method, "params": parameters}
        if self._session:
            message["sessionId"] = self._session
        self._out.write(json.dumps(message).encode() + b"\0")
        while True:
            answer = self._receive()
            if answer.get("id") == self._number:
                assert "error" not in answer, answer
                result: dict[str, Any] = answer["result"]
                return result

    def _receive(self) -> dict[str, Any]:
        while b"\0" not in self._unread:
            read = os.read(self._in.fileno(), 1 << 20)
            assert read, "the browser ended"
            self._unread += read
        text, _, self._unread = self._unread.partition(b"\0")
        event: dict[str, Any] = json.loads(text)
        match event.get("method"):
            case "Log.entryAdded":
                self.messages.append(event["params"]["entry"]["text"])
            case "Runtime.exceptionThrown":
                self.messages.append(json.dumps(event["params"]["exceptionDetails"]))
            case "Network.requestWillBeSent":
                self.requested.append(event["params"]["request"]["url"])
            case _:
                pass
        return event

    def open(self, path: Path, width: int, *, dark: bool = False) -> None:
        """Opens a file at a width, in light or dark, and waits until it has loaded."""
        self.open_address(path.as_uri(), width, dark=dark)

    def open_address(self, address: str, width: int, *, dark: bool = False) -> None:
        self.messages.clear()
        self.requested.clear()
        self.send("Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=False)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.send("Emulation.setEmulatedMedia", features=[scheme])
        self.send("Page.navigate", url="about:blank")  # an address that differs in its fragment alone loads nothing
        self.send("Page.navigate", url=address)
        self.run("new Promise(done => document.readyState == 'complete' ? done() : addEventListener('load', () => done()))")

    def run(self, expression: str) -> Any:
        """Returns the value of an expression, awaited."""
        result = self.send("Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True)
        assert "exceptionDetails" not in result, result["exceptionDetails"]
        return result["result"].get("value")

    def wait(self, condition: str) -> None:
        """Waits until a condition holds; the page runs between the checks."""
        self.run(f"(async () => {{ while (!({condition})) await new Promise(requestAnimationFrame); }})()")

    def save_picture(self, path: Path) -> None:
        path.write_bytes(b64decode(self.send("Page.captureScreenshot", format="png")["data"]))

    def press_key(self, key: str, code: int, text: str = "") -> None:
        for kind in ("keyDown", "keyUp"):
            self.send("Input.dispatchKeyEvent", type=kind, key=key, code=key, windowsVirtualKeyCode=code, text=text)


@contextmanager
def open_browser(folder: Path) -> Iterator[Page]:
    program = shutil.which("chromium")
    bash = shutil.which("bash")
    if program is None or bash is None:
        skip_or_fail("there is no chromium here")
    read_by_browser, to_browser = os.pipe()
    from_browser, written_by_browser = os.pipe()
    # The browser reads 3 and writes 4: neither pipe may have one of these numbers before.
    ends = [fcntl.fcntl(each, fcntl.F_DUPFD, 10) for each in (read_by_browser, written_by_browser)]
    command = [str(bash), "-c", f'exec "$@" 3<&{ends[0]} 4>&{ends[1]}', "bash", str(program), *FLAGS, f"--user-data-dir={folder}"]
    browser = subprocess.Popen(command, pass_fds=ends, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    for each in (read_by_browser, written_by_browser, *ends):
        os.close(each)
    page = Page(to_browser, from_browser)
    try:
        yield page
    finally:
        browser.terminate()
        browser.wait(SECONDS)
        page.close()

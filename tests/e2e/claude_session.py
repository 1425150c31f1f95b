"""Holds one conversation of the real client with a scripted model, in a home and a project of its own."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from e2e.terminal import Terminal, terminal
from toolgate.canary.claude_code import build_environment, onboarding_settings
from toolgate.canary.scripted_model import ScriptedModel
from toolgate.canary.scripted_server import CallResult, ScriptedCall, ScriptedTurn
from toolgate.hosts.claude_code import settings as registration

STAND_IN = Path(__file__).parent / "stand_in.py"
SECONDS = 90
TOOLGATE = (sys.executable, "-m", "toolgate")


def bash(command: str) -> ScriptedCall:
    return ScriptedCall("Bash", {"command": command})


def turn(*uses: ScriptedCall, before: Callable[[], object] | None = None) -> ScriptedTurn:
    return ScriptedTurn(uses, before)


@dataclass
class Outcome:
    """The results of a conversation. `seen`: the payloads that the stand-in gate received."""

    exit_code: int
    model: ScriptedModel
    events: list[dict[str, Any]]
    seen: list[dict[str, Any]]
    output: str

    @property
    def results(self) -> list[CallResult]:
        return self.model.call_results()

    def payloads_of(self, event: str) -> list[dict[str, Any]]:
        return [payload for payload in self.seen if payload.get("hook_event_name") == event]


@dataclass
class Sandbox:
    """`program`: the client. `prepare` creates the folders."""

    root: Path
    program: Path

    @property
    def home(self) -> Path:
        return self.root / "home"

    @property
    def project(self) -> Path:
        return self.root / "project"

    @property
    def settings(self) -> Path:
        return self.home / ".claude" / "settings.json"

    @property
    def log(self) -> Path:
        return self.root / "seen.jsonl"

    def prepare(self) -> "Sandbox":
        (self.home / ".claude").mkdir(parents=True)
        (self.project / ".claude").mkdir(parents=True)
        subprocess.run(["git", "init", "-q", str(self.project)], check=True)
        (self.home / ".claude.json").write_text(json.dumps(onboarding_settings(str(self.project))))
        return self

    def stand_in(self, behaviour: str, *events: str, timeout: int = 10, command: Sequence[str] = ()) -> dict[str, Any]:
        """Settings that register the stand-in gate as the installer would register the real one."""
        command = command or (sys.executable, "-I", str(STAND_IN), behaviour, str(self.log))
        hooks: dict[str, Any] = {}
        for (_, event), group in registration.build_additions(command):
            if not events or event in events:
                hooks[str(event)] = json.loads(json.dumps([group]))
                hooks[str(event)][0]["hooks"][0]["timeout"] = timeout
        return {"hooks": hooks}

    def list_created(self) -> set[str]:
        """Returns the names of what was created in the project."""
        return {path.name for path in self.project.iterdir()} - {".git", ".claude"}

    def use(self, *settings: Mapping[str, Any]) -> None:
        """Writes the user's settings: these in order, with their hooks joined event by event."""
        whole: dict[str, Any] = {}
        for each in settings:
            hooks = {**whole.get("hooks", {})}
            for event, groups in each.get("hooks", {}).items():
                hooks[event] = [*hooks.get(event, []), *groups]
            whole = {**whole, **each, "hooks": hooks}
        self.settings.write_text(json.dumps(whole))

    def talk(
        self,
        *turns: ScriptedTurn,
        mode: str = "bypassPermissions",
        prompt: str = "go",
        arguments: Sequence[str] = (),
        threads: Mapping[str, Sequence[ScriptedTurn]] | None = None,
        environ: Mapping[str, str] | None = None,
        seconds: float = SECONDS,
    ) -> Outcome:
        with ScriptedModel(turns, threads or {}) as model:
            words = [str(self.program), "-p", prompt, "--output-format", "stream-json", "--verbose", *_mode(mode), *arguments]
            result = subprocess.run(
                words,
                cwd=self.project,
                env={**build_environment(os.environ, str(self.home), model.url), **(environ or {})},
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                timeout=seconds,
                check=False,
            )
        return Outcome(result.returncode, model, _lines(result.stdout), _lines(_read(self.log)), result.stdout + result.stderr)

    @contextmanager
    def sit_down(self, *turns: ScriptedTurn, mode: str = "default") -> Iterator[tuple[Terminal, ScriptedModel]]:
        """Starts a conversation with a person at a terminal, to whom no question has been asked yet.

        The client truncates the refusal that it shows at a place that depends on the length of paths; the model receives all of
        it.
        """
        known = json.loads((self.home / ".claude.json").read_text())
        known["customApiKeyResponses"] = {"approved": ["no-key"], "rejected": []}
        known["bypassPermissionsModeAccepted"] = True
        (self.home / ".claude.json").write_text(json.dumps(known))
        with ScriptedModel(turns, {}) as model:
            environ = {**build_environment(os.environ, str(self.home), model.url), "TERM": "xterm-256color"}
            assigned = [f"{name}={value}" for name, value in environ.items()]
            with terminal(["env", "-i", *assigned, str(self.program), *_mode(mode)], self.project) as session_terminal:
                session_terminal.wait_until(lambda screen: "/effort" in screen or "shift+tab" in screen)
                session_terminal.press_keys("go", "Enter")
                yield session_terminal, model

    def rewrite(self, text: str) -> Callable[[], None]:
        """Changes the user's settings during the conversation; the client takes about a second to notice."""

        def change() -> None:
            self.settings.write_text(text)
            time.sleep(2.5)

        return change


def _mode(mode: str) -> list[str]:
    """Returns the options for a mode; none to leave it to the settings."""
    if not mode:
        return []
    return ["--dangerously-skip-permissions"] if mode == "bypassPermissions" else ["--permission-mode", mode]


def _read(path: Path) -> str:
    return path.read_text() if path.exists() else ""


def _lines(text: str) -> list[dict[str, Any]]:
    found = []
    for line in text.splitlines():
        try:
            value = json.loads(line)
        except ValueError:
            continue
        if isinstance(value, dict):
            found.append(value)
    return found


def run_toolgate(sandbox: Sandbox, *words: str) -> subprocess.CompletedProcess[str]:
    """Runs toolgate as the user of this home."""
    inherited = {name: value for name, value in os.environ.items() if not name.startswith(("CLAUDE", "TOOLGATE", "XDG"))}
    environ = {**inherited, "HOME": str(sandbox.home)}
    return subprocess.run([*TOOLGATE, *words], cwd=sandbox.project, env=environ, capture_output=True, text=True, check=False)

"""The hook as a real child process in a home of its own, and what its answers mean to the host."""

import json
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

EVENTS = (
    "PreToolUse",
    "PostToolUse",
    "PostToolUseFailure",
    "PermissionRequest",
    "UserPromptSubmit",
    "SessionStart",
    "SessionEnd",
    "SubagentStart",
    "SubagentStop",
    "PreCompact",
    "ConfigChange",
    "Stop",
)
BY_EXIT_CODE = ("ConfigChange", "Stop")
ASIDE = ("SessionStart", "SessionEnd", "PostToolUseFailure", "SubagentStart", "SubagentStop", "PreCompact")


@dataclass(frozen=True)
class HookResult:
    """What the host received."""

    code: int
    out: bytes
    err: bytes

    @property
    def table(self) -> dict[str, Any]:
        return dict(json.loads(self.out)) if self.out else {}


@dataclass
class Child:
    """Calls the hook in a home of its own."""

    root: Path
    environ: dict[str, str] = field(default_factory=dict)
    cwd: str = ""
    session: str = "s1"

    def __post_init__(self) -> None:
        (self.root / "home").mkdir()
        (self.root / "project").mkdir()
        self.environ = {"HOME": str(self.root / "home"), "TOOLGATE_HOME": str(self.root / "gate"), "PATH": "/usr/bin:/bin"}
        self.cwd = str(self.root / "project")

    def payload(self, command: str, event: str = "PreToolUse", **more: object) -> bytes:
        table: dict[str, object] = {
            "session_id": self.session,
            "transcript_path": str(self.root / "transcript.jsonl"),
            "cwd": str(self.root / "project"),
            "hook_event_name": event,
            "tool_name": "Bash",
            "tool_input": {"command": command},
            "tool_use_id": "t1",
            **more,
        }
        return json.dumps(table).encode()

    def policy(self, text: str) -> None:
        (self.root / "gate").mkdir(exist_ok=True)
        (self.root / "gate" / "policy.toml").write_text(text)

    def arguments(self, event: str, host: str = "claude-code") -> list[str]:
        return [sys.executable, "-I", "-X", "utf8", "-m", "toolgate", "hook", host, event]

    def call(self, data: bytes, event: str = "PreToolUse", **options: Any) -> HookResult:
        return self.run(self.arguments(event), data, **options)

    def run(
        self,
        arguments: list[str],
        data: bytes,
        *,
        before: Callable[[], None] | None = None,
        environ: Mapping[str, str] | None = None,
    ) -> HookResult:
        result = subprocess.run(
            arguments,
            input=data,
            capture_output=True,
            cwd=self.cwd,
            env=self.environ if environ is None else environ,
            preexec_fn=before,
            timeout=30,
            check=False,
        )
        return HookResult(result.returncode, result.stdout, result.stderr)


def is_refusal(event: str, answer: HookResult) -> bool:
    """Returns whether the host understands the answer as this event's refusal."""
    assert b"Traceback" not in answer.out + answer.err, answer
    table = answer.table
    if event == "PreToolUse":
        return answer.code == 2 and table["hookSpecificOutput"]["permissionDecision"] == "deny" and bool(answer.err)
    if event == "PostToolUse":
        return answer.code == 0 and table["continue"] is False and bool(table["stopReason"])
    if event == "PermissionRequest":
        return answer.code == 0 and table["hookSpecificOutput"]["decision"]["behavior"] == "deny"
    if event == "UserPromptSubmit":
        return answer.code == 0 and table["decision"] == "block"
    if event in BY_EXIT_CODE:
        return answer.code == 2 and bool(answer.err)
    return answer.code == 0 and bool(table["systemMessage"])


def is_silence(answer: HookResult) -> bool:
    return (answer.code, answer.out, answer.err) == (0, b"", b"")

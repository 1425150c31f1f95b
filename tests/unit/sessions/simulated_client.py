"""A host's client, judged in this process, with a real store."""

import json
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from toolgate import stores
from toolgate.app import App
from toolgate.consent.approvals import Reach
from toolgate.consent.patterns import widen_targets
from toolgate.model.request import Answer, Request
from toolgate.model.store import Store
from toolgate.sessions.approval_answers import iter_requests, store_answer

NOW = 1_800_000_000.0
CODE = re.compile(r"approve (tgc-\w{4}-\w{4})")


@dataclass
class SimulatedClient:
    """A client with its session, and a person who answers on a terminal."""

    root: Path
    app: App = field(default_factory=App)
    now: float = NOW
    session: str = "s-1"
    agent: str = ""
    environ: dict[str, str] = field(default_factory=dict)

    def hook(self, event: str, **payload: object) -> Answer:
        whole = {
            "session_id": self.session,
            "transcript_path": "",
            "cwd": str(self.project),
            "hook_event_name": event,
            "permission_mode": "default",
            **({"agent_id": self.agent} if self.agent else {}),
            **payload,
        }
        environ = {"HOME": str(self.home), "CLAUDE_PROJECT_DIR": str(self.project), "PATH": "/usr/bin:/bin", **self.environ}
        return self.app.handle(
            Request("claude-code", event, json.dumps(whole).encode(), environ, str(self.project), 1000, self.now)
        )

    def bash(self, command: str) -> str:
        """Returns `runs`, or what the agent is told instead."""
        answer = self.hook("PreToolUse", tool_name="Bash", tool_input={"command": command}, tool_use_id="t")
        self.said = json.loads(answer.stdout).get("systemMessage", "") if answer.stdout else ""
        if not answer.stdout:
            return "runs"
        reply: dict[str, Any] = json.loads(answer.stdout).get("hookSpecificOutput", {})
        return f"{reply.get('permissionDecision', 'runs')}: {reply.get('permissionDecisionReason', '')}"

    said: str = ""

    @property
    def home(self) -> Path:
        return self.root / "home"

    @property
    def project(self) -> Path:
        return self.root / "home" / "project"

    @property
    def state(self) -> Path:
        return self.home / ".local" / "state" / "toolgate"

    @property
    def store(self) -> Store:
        return stores.find_store(self.environ.get("TOOLGATE_STORE_URL", ""), str(self.state))

    def policy(self, text: str) -> None:
        path = self.home / ".config" / "toolgate" / "policy.toml"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def list_pending(self) -> list[str]:
        return [each.request.shown for each in iter_requests(self.store, self.now) if each.state == "pending"]

    def answer(self, *, yes: bool = True, reach: Reach = "once", until: float | None = None, like: str = "") -> None:
        """Answers the pending request, as `toolgate approve` does."""
        waiting = [each.request for each in iter_requests(self.store, self.now) if each.state == "pending"]
        assert waiting
        for request in waiting:
            alike = widen_targets(request.targets, like) if like else ()
            assert bool(alike) is bool(like), request.targets
            assert store_answer(self.store, request, yes=yes, reach=reach, now=self.now, how="terminal", until=until, alike=alike)


def client_in(folder: Path, policy: str) -> SimulatedClient:
    client = SimulatedClient(folder)
    client.project.mkdir(parents=True)
    (client.project / ".git").mkdir()
    client.policy(policy)
    return client

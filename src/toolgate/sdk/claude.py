"""The gate in a program that uses the Claude Agent SDK (`pip install claude-agent-sdk`).

    guard = Guard(spawn=Spawn(agent="Fenster"))
    options = ClaudeAgentOptions(cwd=project, **guard.options())

Hooks block where they fail (`on_failure`), and answer before they would time out. The SDK calls no hook when a session starts.
"""

import json
import os
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from toolgate.model.event import NO_SPAWN, Spawn

from .in_process import Gate

EVENTS = ("PreToolUse", "PostToolUse", "PermissionRequest", "UserPromptSubmit", "Stop")
"""The hook events of the SDK that the gate judges."""
TIMEOUT = 10.0  # seconds; the gate answers within 8
NOBODY_TO_ASK = "Nobody is there who could be asked."
PermissionCallback = Callable[[str, dict[str, Any], Any], Awaitable[Any]]
"""The type of the SDK's own `can_use_tool`."""


class Guard:
    """For one session, like toolgate.sdk.copilot.Guard. `permission` is called where the policy or the client asks; without it
    such calls are denied."""

    def __init__(
        self,
        *,
        profile: str = "",
        spawn: Spawn = NO_SPAWN,
        project: str = "",
        environ: Mapping[str, str] | None = None,
        permission: PermissionCallback | None = None,
        on_notice: Callable[[str], None] = lambda _: None,
    ) -> None:
        self.project = project or os.getcwd()
        self._permission = permission
        variables = {**(os.environ if environ is None else environ), "CLAUDE_PROJECT_DIR": self.project}
        self._gate = Gate("claude-code", variables, self.project, profile, spawn, on_notice)

    def options(self) -> dict[str, Any]:
        """Returns the arguments for `ClaudeAgentOptions`."""
        from claude_agent_sdk import HookMatcher

        hooks = {event: [HookMatcher(hooks=[self._build_hook(event)], timeout=TIMEOUT, on_failure="block")] for event in EVENTS}
        return {"hooks": hooks, "can_use_tool": self._decide_permission, "cwd": self.project}

    def _build_hook(self, event: str) -> Callable[[Any, str | None, Any], Awaitable[Any]]:
        async def run_hook(hook_input: Any, _call: str | None, _context: Any) -> Any:
            said = await self._gate.answer(event, hook_input)
            if said.stdout:
                answer = json.loads(said.stdout)
                return {RENAMED_KEYS.get(key, key): value for key, value in answer.items()}
            return {"decision": "block", "reason": said.stderr} if said.exit_code else {}

        return run_hook

    async def _decide_permission(self, tool: str, payload: dict[str, Any], context: Any) -> Any:
        from claude_agent_sdk import PermissionResultDeny

        if self._permission is None:
            why = getattr(context, "decision_reason", "") or ""
            return PermissionResultDeny(message=f"{NOBODY_TO_ASK} {why}".strip())
        return await self._permission(tool, payload, context)


RENAMED_KEYS = {"continue": "continue_", "async": "async_"}
"""Keys that are keywords of Python, as the SDK spells them."""

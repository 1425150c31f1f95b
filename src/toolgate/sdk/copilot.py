"""The gate in a program that uses the GitHub Copilot SDK (`pip install github-copilot-sdk`).

    guard = Guard(profile="squad", spawn=Spawn(agent="Fenster", role="agent"))
    session = await client.create_session(**guard.session(), model=...)

The SDK takes a hook that raises for one without an opinion, so that nothing here raises; and what the hooks did not see is judged
again where permission is asked for, which fails closed. What a session without hooks runs is noticed, and in `strict` the last.
"""

import json
import os
from collections import deque
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from toolgate.model.decision import Decision, Verdict
from toolgate.model.embedding import Embedding
from toolgate.model.event import NOT_SPAWNED, PermissionRequested, Spawn, ToolCall
from toolgate.model.request import Answer

from .in_process import Gate

Input = Mapping[str, Any]
Output = dict[str, Any] | None
Permission = Callable[[Any, Mapping[str, Any]], Any]
"""As the SDK's own `on_permission_request`: the request and its invocation, to a decision or an awaitable one."""

Mark = tuple[str, str]
KEYS = {"workingDirectory": "cwd", "timestamp": ""}
"""What the SDK renames of the runtime's own keys, and what is no JSON."""
REMEMBERED = 1000  # calls
UNJUDGED = "a call of {tool} ran that no hook was asked about"
OVER = "this session is over: {what}. Start it anew with its hooks."
NOBODY = "Nobody is there who could be asked. {why}"
EXCLUDED = {"init-phase-1": ("create", "edit", "apply_patch")}
"""Phase -> tools that its policy would deny every time: the model is not offered them."""


class Guard:
    """For one session. `profile` stands where the one of the user's policy would; `spawn` is what a team's policy
    goes by: who was started, as what, and for which files.

    `permission` answers what the policy leaves open or asks about, as the SDK's `on_permission_request` does; without it, what is
    open is approved, and what is asked is rejected. `user_input` shows the agent's questions. `on_notice` hears what the user is
    to know. `strict`: once a call ran unjudged, every other is denied.
    """

    def __init__(
        self,
        *,
        profile: str = "",
        spawn: Spawn = NOT_SPAWNED,
        project: str = "",
        environ: Mapping[str, str] | None = None,
        permission: Permission | None = None,
        user_input: Callable[[Input, Mapping[str, Any]], Any] | None = None,
        on_notice: Callable[[str], None] = lambda _: None,
        strict: bool = False,
    ) -> None:
        self.project, self.strict, self._phase = project or os.getcwd(), strict, spawn.phase
        self.unjudged: list[str] = []
        self._permission, self._user_input, self._notice = permission, user_input, on_notice
        variables = {**(os.environ if environ is None else environ), "COPILOT_PROJECT_DIR": self.project}
        self._gate = Gate("copilot", variables, self.project, Embedding(profile, spawn, self._heard))
        self._judged: deque[str] = deque(maxlen=REMEMBERED)
        self._marks: deque[frozenset[Mark]] = deque(maxlen=REMEMBERED)

    def session(self) -> dict[str, Any]:
        """The arguments for `create_session` and `resume_session`: a session resumed without them has no hooks."""
        options: dict[str, Any] = {
            "hooks": {
                "on_pre_tool_use": self._before,
                "on_post_tool_use": self._after,
                "on_user_prompt_submitted": self._hook("userPromptSubmitted"),
                "on_session_start": self._hook("sessionStart"),
                "on_session_end": self._hook("sessionEnd"),
                "on_agent_stop": self._hook("agentStop"),
                "on_error_occurred": self._failed,
            },
            "on_permission_request": self._permitted,
            "working_directory": self.project,
        }
        if self._user_input is not None:
            options["on_user_input_request"] = self._asked
        if self._phase in EXCLUDED:
            options["excluded_tools"] = list(EXCLUDED[self._phase])
        return options

    # ---- hooks

    async def _before(self, given: Input, _invocation: Mapping[str, Any]) -> Output:
        self._judged.append(_key(given))
        self._marks.append(_marks(given))
        if self.strict and self.unjudged:
            return _said(self._gate.refuse("preToolUse", OVER.format(what=self.unjudged[0])))
        return _said(await self._gate.answer("preToolUse", _payload(given)))

    async def _after(self, given: Input, _invocation: Mapping[str, Any]) -> Output:
        key = _key(given)
        if key in self._judged:
            self._judged.remove(key)
        else:
            self.unjudged.append(UNJUDGED.format(tool=given.get("toolName")))
            self._notice(f"toolgate: {self.unjudged[-1]}")
        return _said(await self._gate.answer("postToolUse", _payload(given)))

    def _hook(self, event: str) -> Callable[[Input, Mapping[str, Any]], Awaitable[Output]]:
        async def hook(given: Input, _invocation: Mapping[str, Any]) -> Output:
            return _said(await self._gate.answer(event, _payload(given)))

        return hook

    async def _failed(self, given: Input, _invocation: Mapping[str, Any]) -> Output:
        self._notice(f"toolgate: the session met an error ({given.get('errorContext')}): {given.get('error')}")
        return None

    # ---- permission and questions

    async def _permitted(self, request: Any, invocation: Mapping[str, Any]) -> Any:
        """The second line, for what no hook was asked about, and the place where a question of the policy's is answered."""
        from copilot.rpc import PermissionDecisionApproveOnce, PermissionDecisionReject

        why = request.hook_message or "" if request.kind == "hook" else ""
        if request.kind != "hook" and not any(_mark(request) in marks for marks in self._marks):
            said = _said(await self._gate.answer("preToolUse", _asked_for(request, invocation, self.project))) or {}
            if said.get("permissionDecision") == "deny":
                return PermissionDecisionReject(feedback=said["permissionDecisionReason"])
            why = said.get("permissionDecisionReason", "")
        if self._permission is not None:
            answer = self._permission(request, invocation)
            return await answer if isinstance(answer, Awaitable) else answer
        return PermissionDecisionReject(feedback=NOBODY.format(why=why)) if why else PermissionDecisionApproveOnce()

    async def _asked(self, request: Input, invocation: Mapping[str, Any]) -> Any:
        """The user's answer; one that says little goes with a word on how to take it. How many there may be, the hook decides."""
        from toolgate.consent.budgets import BRIEF, is_brief
        from toolgate.model.rule import Policy

        assert self._user_input is not None
        answer = self._user_input(request, invocation)
        given = await answer if isinstance(answer, Awaitable) else answer
        if is_brief(given["answer"], Policy().shortest_answer):
            return {**given, "answer": f"{given['answer']} {BRIEF}"}
        return given

    def _heard(self, _event: ToolCall | PermissionRequested, decision: Decision) -> None:
        if decision.tell_user and decision.verdict > Verdict.PASS:
            self._notice(decision.tell_user)


def _payload(given: Input) -> dict[str, object]:
    """What the runtime itself sends to a hook that is a program."""
    return {KEYS.get(key, key): value for key, value in given.items() if KEYS.get(key, key)}


def _said(answer: Answer) -> Output:
    return json.loads(answer.stdout) if answer.stdout else None


def _key(given: Input) -> str:
    """The SDK numbers no calls: this is all that tells one from another."""
    what = [given.get(name) for name in ("sessionId", "agentId", "toolName", "toolArgs")]
    return json.dumps(what, sort_keys=True, default=str)


def _marks(given: Input) -> frozenset[Mark]:
    """By what a permission request would name this call: it brings no number either."""
    arguments, cwd = given.get("toolArgs"), str(given.get("workingDirectory", ""))
    if isinstance(arguments, str):
        files = (line.partition(": ")[2].strip() for line in arguments.splitlines() if line.startswith("*** "))
        return frozenset(("file", os.path.join(cwd, file)) for file in files if file)
    found = {("tool", str(given.get("toolName")))}
    for key, value in arguments.items() if isinstance(arguments, Mapping) else ():
        if key in ("command", "url") and isinstance(value, str):
            found.add((key, value))
        elif key in ("path", "paths"):
            found |= {
                ("file", os.path.normpath(os.path.join(cwd, each))) for each in ([value] if isinstance(value, str) else value)
            }
    return frozenset(found)


def _mark(request: Any) -> Mark:
    match request.kind:
        case "shell":
            return "command", request.full_command_text
        case "write":
            return "file", request.file_name
        case "read":
            return "file", request.path
        case "url":
            return "url", request.url
        case "mcp":
            return "tool", f"{request.server_name}-{request.tool_name}"
        case _:
            return "tool", getattr(request, "tool_name", "")


def _asked_for(request: Any, invocation: Mapping[str, Any], project: str) -> dict[str, object]:
    """The call that a permission is asked for, as far as the request tells it."""
    match request.kind:
        case "shell":
            tool, arguments = "bash", {"command": request.full_command_text}
        case "write" if request.new_file_contents is not None:
            tool, arguments = "create", {"path": request.file_name, "file_text": request.new_file_contents}
        case "write":
            tool, arguments = "edit", {"path": request.file_name, "diff": request.diff or ""}
        case "read":
            tool, arguments = "view", {"path": request.path}
        case "url":
            tool, arguments = "web_fetch", {"url": request.url}
        case "mcp":
            tool, arguments = f"{request.server_name}/{request.tool_name}", request.args or {}
        case "custom-tool":
            tool, arguments = request.tool_name, request.args or {}
        case other:
            tool, arguments = str(other), {}
    return {"sessionId": invocation.get("session_id", ""), "cwd": project, "toolName": tool, "toolArgs": arguments}

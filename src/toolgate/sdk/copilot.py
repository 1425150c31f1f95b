"""The gate in a program that uses the GitHub Copilot SDK (`pip install github-copilot-sdk`).

    guard = Guard(spawn=Spawn(agent="Fenster", role="agent"))
    session = await client.create_session(**guard.session(), model=...)

The SDK treats a hook that raises as one without an opinion, so nothing here raises; and calls that no hook saw are judged again
when permission is requested, which fails closed. Calls of a session without hooks are detected, and with `strict` the first is
the last.
"""

import json
import os
from collections import Counter, deque
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, NamedTuple

from toolgate.model.event import NO_SPAWN, Spawn
from toolgate.model.request import Answer

from .in_process import Gate

HookInput = Mapping[str, Any]
HookOutput = dict[str, Any] | None
PermissionCallback = Callable[[Any, Mapping[str, Any]], Any]
"""The type of the SDK's own `on_permission_request`: the request and its invocation, to a decision or an awaitable one."""

HookCallback = Callable[[HookInput, Mapping[str, Any]], Awaitable[HookOutput]]
CallMark = tuple[str, str]
RENAMED_KEYS = {"workingDirectory": "cwd", "timestamp": ""}
"""The runtime's keys that the SDK renames, and the one whose value is not JSON."""
MAX_JUDGED_CALLS = 1000  # calls
UNJUDGED_NOTICE = "a call of {tool} ran that no hook was asked about"
FAILURE_REASON = "toolgate could not answer this call ({problem}), so it refuses it"
SESSION_OVER_REASON = "this session is over: {what}. Start it anew with its hooks."
CLEANUP_ACTIONS = ("approvals and counts that were valid for this session have ended",)
NOBODY_TO_ASK = "Nobody is there who could be asked. {why}"
EXCLUDED_TOOLS = {"init-phase-1": ("create", "edit", "apply_patch")}
"""Phase -> tools that its policy would always deny: the model is not offered them."""


class Guard:
    """For one session. `profile` replaces the one of the user's policy; `spawn` is what a team's policy depends on: the agent
    that was started, its role, and its files.

    `permission` decides what the policy leaves open or asks about, as the SDK's `on_permission_request` does; without it, open
    calls are approved, and asked ones rejected. `user_input` shows the agent's questions. `on_notice` receives notices for the
    user. `strict`: once a call ran unjudged, every other is denied.
    """

    def __init__(
        self,
        *,
        profile: str = "",
        spawn: Spawn = NO_SPAWN,
        project: str = "",
        environ: Mapping[str, str] | None = None,
        permission: PermissionCallback | None = None,
        user_input: Callable[[HookInput, Mapping[str, Any]], Any] | None = None,
        on_notice: Callable[[str], None] = lambda _: None,
        strict: bool = False,
    ) -> None:
        self.project, self.strict, self._phase = project or os.getcwd(), strict, spawn.phase
        self.unjudged: list[str] = []
        self._permission, self._user_input, self._notice = permission, user_input, on_notice
        variables = {**(os.environ if environ is None else environ), "COPILOT_PROJECT_DIR": self.project}
        self._gate = Gate("copilot", variables, self.project, profile, spawn, on_notice)
        self._judged: deque[_JudgedCall] = deque(maxlen=MAX_JUDGED_CALLS)
        self._verdicts: Counter[str] = Counter()

    def session(self) -> dict[str, Any]:
        """Returns the arguments for `create_session` and `resume_session`: a session resumed without them has no hooks."""
        options: dict[str, Any] = {
            "hooks": {
                "on_pre_tool_use": self._build_hook("preToolUse", self._judge_call),
                "on_post_tool_use": self._build_hook("postToolUse", self._check_result),
                "on_user_prompt_submitted": self._build_hook("userPromptSubmitted"),
                "on_session_start": self._build_hook("sessionStart"),
                "on_session_end": self._build_hook("sessionEnd", self._end_session),
                "on_agent_stop": self._build_hook("agentStop"),
                "on_error_occurred": self._build_hook("errorOccurred", self._report_error),
            },
            "on_permission_request": self._decide_permission,
            "working_directory": self.project,
        }
        if self._user_input is not None:
            options["on_user_input_request"] = self._ask_user
        if self._phase in EXCLUDED_TOOLS:
            options["excluded_tools"] = list(EXCLUDED_TOOLS[self._phase])
        return options

    # ---- hooks

    def _build_hook(self, event: str, answer: Callable[[HookInput], Awaitable[HookOutput]] | None = None) -> HookCallback:
        async def answer_by_gate(hook_input: HookInput) -> HookOutput:
            return _parse_output(await self._gate.answer(event, _build_payload(hook_input)))

        async def run_hook(hook_input: HookInput, _invocation: Mapping[str, Any]) -> HookOutput:
            try:
                return await (answer or answer_by_gate)(hook_input)
            except Exception as problem:  # noqa: BLE001  (the program's own `on_notice` may raise)
                return _parse_output(self._gate.refuse(event, FAILURE_REASON.format(problem=type(problem).__name__)))

        return run_hook

    async def _judge_call(self, hook_input: HookInput) -> HookOutput:
        if self.strict and self.unjudged:
            answer = _parse_output(self._gate.refuse("preToolUse", SESSION_OVER_REASON.format(what=self.unjudged[0])))
        else:
            answer = _parse_output(await self._gate.answer("preToolUse", _build_payload(hook_input)))
        verdict = (answer or {}).get("permissionDecision")
        passed = verdict not in ("deny", "ask")
        self._verdicts["passed" if passed else str(verdict)] += 1
        self._judged.append(_JudgedCall(_call_key(hook_input), _find_marks(hook_input) if passed else frozenset()))
        return answer

    async def _check_result(self, hook_input: HookInput) -> HookOutput:
        key = _call_key(hook_input)
        if (judged := next((each for each in self._judged if each.key == key), None)) is not None:
            self._judged.remove(judged)
        else:
            self.unjudged.append(UNJUDGED_NOTICE.format(tool=hook_input.get("toolName")))
            self._notice(f"toolgate: {self.unjudged[-1]}")
        return _parse_output(await self._gate.answer("postToolUse", _build_payload(hook_input)))

    async def _report_error(self, hook_input: HookInput) -> HookOutput:
        message = f"The session met an error ({hook_input.get('errorContext')}): {hook_input.get('error')}"
        self._notice(f"toolgate: {message}")
        handling = (await self._gate.read_policy()).on_session_error
        if handling == "retry" and not hook_input.get("recoverable"):
            handling = "abort"
        return {"userNotification": message} if handling == "host" else {"errorHandling": handling, "userNotification": message}

    async def _end_session(self, hook_input: HookInput) -> HookOutput:
        answer = _parse_output(await self._gate.answer("sessionEnd", _build_payload(hook_input))) or {}
        return {**answer, "cleanupActions": list(CLEANUP_ACTIONS), "sessionSummary": self._summarize()}

    def _summarize(self) -> str:
        counts = self._verdicts
        message = f"toolgate judged {counts.total()} calls: {counts['deny']} denied, {counts['ask']} asked about."
        return f"{message} {len(self.unjudged)} ran without its judgement." if self.unjudged else message

    # ---- permission and questions

    async def _decide_permission(self, request: Any, invocation: Mapping[str, Any]) -> Any:
        """Judges calls that no hook saw, and answers the policy's questions."""
        from copilot.rpc import PermissionDecisionApproveOnce, PermissionDecisionReject

        why = request.hook_message or "" if request.kind == "hook" else ""
        if request.kind != "hook" and not any(_request_mark(request) in judged.marks for judged in self._judged):
            said = (
                _parse_output(await self._gate.answer("preToolUse", _build_requested_call(request, invocation, self.project)))
                or {}
            )
            if said.get("permissionDecision") == "deny":
                return PermissionDecisionReject(feedback=said["permissionDecisionReason"])
            why = said.get("permissionDecisionReason", "")
        if self._permission is not None:
            answer = self._permission(request, invocation)
            return await answer if isinstance(answer, Awaitable) else answer
        return PermissionDecisionReject(feedback=NOBODY_TO_ASK.format(why=why)) if why else PermissionDecisionApproveOnce()

    async def _ask_user(self, request: HookInput, invocation: Mapping[str, Any]) -> Any:
        """Returns the user's answer; a very short one with a note on how to take it. The hook limits the number of questions."""
        from toolgate.consent.budgets import BRIEF_NOTE, is_brief

        assert self._user_input is not None
        answer = self._user_input(request, invocation)
        typed = await answer if isinstance(answer, Awaitable) else answer
        if is_brief(typed["answer"], (await self._gate.read_policy()).shortest_answer):
            return {**typed, "answer": f"{typed['answer']} {BRIEF_NOTE}"}
        return typed


class _JudgedCall(NamedTuple):
    """A call that the hook judged. It has marks where it passed: any other is judged again if permission is requested."""

    key: str
    marks: frozenset[CallMark]


def _build_payload(hook_input: HookInput) -> dict[str, object]:
    """Returns the payload that the runtime itself sends to a hook command."""
    return {RENAMED_KEYS.get(key, key): value for key, value in hook_input.items() if RENAMED_KEYS.get(key, key)}


def _parse_output(answer: Answer) -> HookOutput:
    return json.loads(answer.stdout) if answer.stdout else None


def _call_key(hook_input: HookInput) -> str:
    """Returns a key of the call: the SDK does not number calls."""
    what = [hook_input.get(name) for name in ("sessionId", "agentId", "toolName", "toolArgs")]
    return json.dumps(what, sort_keys=True, default=str)


def _find_marks(hook_input: HookInput) -> frozenset[CallMark]:
    """Returns the marks by which a permission request, which has no number either, can name this call."""
    arguments, cwd = hook_input.get("toolArgs"), str(hook_input.get("workingDirectory", ""))
    if isinstance(arguments, str):
        named = (line.partition(": ")[2].strip() for line in arguments.splitlines() if line.startswith("*** "))
        return frozenset(("file", os.path.join(cwd, file)) for file in named if file)
    found = {_full_mark(hook_input.get("toolName"), arguments)}
    for key, value in arguments.items() if isinstance(arguments, Mapping) else ():
        if key in ("command", "url") and isinstance(value, str):
            found.add((key, value))
        elif key in ("path", "paths"):
            files = value if isinstance(value, list) else [value]
            found |= {("file", os.path.normpath(os.path.join(cwd, file))) for file in files if isinstance(file, str)}
    return frozenset(found)


def _request_mark(request: Any) -> CallMark:
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
            return _full_mark(f"{request.server_name}-{request.tool_name}", request.args)
        case _:
            return _full_mark(getattr(request, "tool_name", ""), getattr(request, "args", None))


def _full_mark(tool: object, arguments: object) -> CallMark:
    """Returns a mark of all arguments, for a call that nothing shorter identifies."""
    return "tool", json.dumps([tool, arguments or {}], sort_keys=True, default=str)


def _build_requested_call(request: Any, invocation: Mapping[str, Any], project: str) -> dict[str, object]:
    """Returns the call that a permission is requested for, as far as the request describes it."""
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

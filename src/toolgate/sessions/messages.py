"""Messages to the person and to the agent about a request. Only the person's message contains the code."""

from collections.abc import Iterable
from shlex import quote

from toolgate.consent.approvals import Request
from toolgate.model.action import (
    Action,
    ApplyPatch,
    AskUser,
    CallTool,
    EditFile,
    Fetch,
    OtherTool,
    ReadFile,
    RunShell,
    Search,
    WriteFile,
)
from toolgate.model.rule import Policy
from toolgate.rules import TABLE

MAX_OPERATION_LENGTH = 1500


def describe_operation(tool: str, action: Action) -> str:
    """Returns the operation as shown to a person."""
    match action:
        case RunShell(text=text) | ApplyPatch(text=text):
            return text[:MAX_OPERATION_LENGTH]
        case Search(paths=paths, pattern=pattern):
            return f"{tool} {pattern} in {', '.join(paths)}"[:MAX_OPERATION_LENGTH]
        case ReadFile(path=path) | WriteFile(path=path) | EditFile(path=path):
            return f"{tool} {path}"
        case Fetch(url=url):
            return f"{tool} {url}"
        case CallTool(server=server, tool=name, arguments=arguments):
            return f"{server}/{name} {dict(arguments)}"[:MAX_OPERATION_LENGTH]
        case AskUser(questions=questions):
            return " / ".join(questions)[:MAX_OPERATION_LENGTH]
        case OtherTool(name=name, arguments=arguments):
            return f"{name} {dict(arguments)}"[:MAX_OPERATION_LENGTH]


def build_user_message(request: Request, code: str, command: str, *, here: bool) -> str:
    """`command`: what a person runs to answer; `here`: whether an answer typed in this conversation counts."""
    typed = f"To let exactly this run once, type:  approve {code}\nTo say no, type:  deny {code}\nOr " if here else "To answer, "
    return (
        f"toolgate stopped a call and asks you. {request.reason}\n{request.tool} in {request.cwd}:\n{_indent(request.shown)}\n"
        f"{typed}run on a terminal of your own:  {command}\n{_explain_relaxing(request.rules)}"
    )


def _explain_relaxing(rules: Iterable[str]) -> str:
    """Returns how to see why a call was stopped, and how to relax the rules without a floor."""
    lowered = [rule for rule in rules if rule in TABLE and not any(TABLE[rule].floor)]
    keys = ", ".join(f'[rules."{rule}"]' for rule in lowered[:2])
    relaxed = f". To be asked less from the next session on: {keys} in your policy file" if keys else ""
    return f"To see why:  toolgate why last{relaxed}"


AGENT_MESSAGE = (
    "This needs the user's approval, and the user has been asked. Do not try it another way: go on with other work, or end the "
    "turn. Once the user has approved, make exactly the same call again."
)


def build_agent_message(request: Request, policy: Policy) -> str:
    """Returns what the agent should do until there is an answer. Where the policy accepts the agent's confirmation, how to give
    it."""
    if not policy.agent_may_confirm:
        return AGENT_MESSAGE
    operation = request.shown.removeprefix(f"{request.tool} ")
    return (
        f"Ask the user. Once they have agreed, run: toolgate confirm {quote(operation)}; then make exactly the same call again."
    )


STILL_WAITING = "The user has been asked about exactly this call and has not answered yet. Do not repeat it before they have."
SAID_NO = "The user was asked about exactly this call and said no. Do not repeat it, and do not try it another way."
NOBODY_TO_ASK = "Nobody can be asked about this, so it is denied."


def build_approval_messages(request: Request, reach: str) -> tuple[str, str]:
    """Returns the messages to the user, and to the agent."""
    often = "once" if reach == "once" else "until the session ends"
    return (
        f"toolgate: approved, {often}: {request.shown[:200]}",
        f"The user approved this call, {often}: make exactly the same call again now ({request.tool}).",
    )


def build_denial_messages(request: Request) -> tuple[str, str]:
    return (
        f"toolgate: denied: {request.shown[:200]}",
        f"The user said no to the {request.tool} call that was stopped. Do not repeat it.",
    )


def _indent(text: str) -> str:
    return "\n".join(f"    {line}" for line in text.splitlines() or [""])

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

LONGEST = 1500


def shown(tool: str, action: Action) -> str:
    """Returns the operation as shown to a person."""
    match action:
        case RunShell(text=text) | ApplyPatch(text=text):
            return text[:LONGEST]
        case Search(paths=paths, pattern=pattern):
            return f"{tool} {pattern} in {', '.join(paths)}"[:LONGEST]
        case ReadFile(path=path) | WriteFile(path=path) | EditFile(path=path):
            return f"{tool} {path}"
        case Fetch(url=url):
            return f"{tool} {url}"
        case CallTool(server=server, tool=name, arguments=arguments):
            return f"{server}/{name} {dict(arguments)}"[:LONGEST]
        case AskUser(questions=questions):
            return " / ".join(questions)[:LONGEST]
        case OtherTool(name=name, arguments=arguments):
            return f"{name} {dict(arguments)}"[:LONGEST]


def to_the_user(request: Request, code: str, command: str, *, here: bool) -> str:
    """`command`: what a person runs to answer; `here`: whether an answer typed in this conversation counts."""
    typed = f"To let exactly this run once, type:  approve {code}\nTo say no, type:  deny {code}\nOr " if here else "To answer, "
    return (
        f"toolgate stopped a call and asks you. {request.reason}\n{request.tool} in {request.cwd}:\n{_indented(request.shown)}\n"
        f"{typed}run on a terminal of your own:  {command}\n{_to_be_asked_less(request.rules)}"
    )


def _to_be_asked_less(rules: Iterable[str]) -> str:
    """Returns how to see why a call was stopped, and how to relax the rules without a floor."""
    lowered = [rule for rule in rules if rule in TABLE and not any(TABLE[rule].floor)]
    keys = ", ".join(f'[rules."{rule}"]' for rule in lowered[:2])
    relaxed = f". To be asked less from the next session on: {keys} in your policy file" if keys else ""
    return f"To see why:  toolgate why last{relaxed}"


TO_THE_AGENT = (
    "This needs the user's approval, and the user has been asked. Do not try it another way: go on with other work, or end the "
    "turn. Once the user has approved, make exactly the same call again."
)


def to_the_agent(request: Request, policy: Policy) -> str:
    """Returns what the agent should do until there is an answer. Where the policy accepts the agent's confirmation, how to give
    it."""
    if not policy.agent_may_confirm:
        return TO_THE_AGENT
    operation = request.shown.removeprefix(f"{request.tool} ")
    return (
        f"Ask the user. Once they have agreed, run: toolgate confirm {quote(operation)}; then make exactly the same call again."
    )


STILL_WAITING = "The user has been asked about exactly this call and has not answered yet. Do not repeat it before they have."
SAID_NO = "The user was asked about exactly this call and said no. Do not repeat it, and do not try it another way."
NOBODY = "Nobody can be asked about this, so it is denied."


def approved(request: Request, reach: str) -> tuple[str, str]:
    """Returns the messages to the user, and to the agent."""
    often = "once" if reach == "once" else "until the session ends"
    return (
        f"toolgate: approved, {often}: {request.shown[:200]}",
        f"The user approved this call, {often}: make exactly the same call again now ({request.tool}).",
    )


def denied(request: Request) -> tuple[str, str]:
    return (
        f"toolgate: denied: {request.shown[:200]}",
        f"The user said no to the {request.tool} call that was stopped. Do not repeat it.",
    )


def _indented(text: str) -> str:
    return "\n".join(f"    {line}" for line in text.splitlines() or [""])

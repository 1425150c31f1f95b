"""A gate that behaves as ordered:

`stand_in.py BEHAVIOUR LOG claude-code EVENT`. A correct behaviour answers with the project's own code for the host. The faults
are what a broken gate might do instead.
"""

import json
import os
import signal
import sys
import time
from collections.abc import Callable

from toolgate.hosts import load_host
from toolgate.model.decision import NO_OBJECTION, Decision, Verdict
from toolgate.model.errors import BadPayload
from toolgate.model.request import SILENCE, Answer, Request

WORDS = {"WARN-ME": Verdict.WARN, "ASK-ME": Verdict.ASK, "DENY-ME": Verdict.DENY}


def as_told(request: Request) -> Answer:
    """Returns the decision that the call names: a call with DENY-ME is denied."""
    claude = load_host(request.host)
    try:
        event = claude.read(request)
    except BadPayload as error:
        return claude.refuse(request.event, str(error))
    verdict = max((verdict for word, verdict in WORDS.items() if word in request.payload.decode()), default=Verdict.PASS)
    if event is None or not verdict:
        return SILENCE if event is None else claude.answer(NO_OBJECTION, event)
    told = Decision(verdict, verdict, tell_user=f"user: {verdict.name}", tell_agent=f"agent: {verdict.name}, because of the test")
    return claude.answer(told, event)


def refuse(request: Request) -> Answer:
    return load_host(request.host).refuse(request.event, "REFUSED-BY-TEST")


def answer_nothing(request: Request) -> Answer:
    return SILENCE


def crash(request: Request) -> Answer:
    raise RuntimeError("the gate broke")


def hang(request: Request) -> Answer:
    time.sleep(30)
    return SILENCE


def kill_itself(request: Request) -> Answer:
    os.kill(os.getpid(), signal.SIGKILL)
    return SILENCE


def text(request: Request) -> Answer:
    return Answer("a library said hello")


def object(request: Request) -> Answer:  # noqa: A001 - a behaviour by its name
    return Answer('{"hookSpecificOutput": {"permissionDecision": null}}')


def redact(request: Request) -> Answer:
    """Replaces the output, in the tool's own shape."""
    tool_input = json.loads(request.payload)
    replaced = json.loads(json.dumps(tool_input["tool_response"]).replace("SECRET", "[redacted]"))
    return Answer(json.dumps({"hookSpecificOutput": {"hookEventName": request.event, "updatedToolOutput": replaced}}))


def rewrite(request: Request) -> Answer:
    """Replaces the input of the call."""
    tool_input = json.loads(request.payload)
    changed = json.loads(json.dumps(tool_input["tool_input"]).replace("ORIGINAL", "CHANGED"))
    return Answer(json.dumps({"hookSpecificOutput": {"hookEventName": request.event, "updatedInput": changed}}))


BEHAVIOURS: dict[str, Callable[[Request], Answer]] = {
    **{each.__name__: each for each in (as_told, refuse, crash, hang, text, object, redact, rewrite)},
    "silent": answer_nothing,
    "killed": kill_itself,
}


def main() -> int:
    _, behaviour, log, name, event = sys.argv
    payload = sys.stdin.buffer.read()
    with open(log, "a") as file:
        file.write(payload.decode() + "\n")
    answer = BEHAVIOURS[behaviour](Request(name, event, payload, os.environ, os.getcwd(), os.getuid(), time.time()))
    sys.stdout.write(answer.stdout)
    sys.stderr.write(answer.stderr)
    return answer.exit_code


if __name__ == "__main__":
    sys.exit(main())

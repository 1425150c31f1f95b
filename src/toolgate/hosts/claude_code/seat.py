"""Tells whether a person is at Claude Code, from the variables that it sets for its hooks (measured with 2.1.328).

At a terminal its entry point is `cli` and the session is attended; under `-p` and the SDKs it is `sdk-cli`, `sdk-py`, `sdk-ts`.
"""

from collections.abc import Mapping

from toolgate.model.host import Seat
from toolgate.model.word import Maybe

ATTENDED_VALUES: Mapping[str, Maybe] = {"1": True, "0": False}


def read_seat(environ: Mapping[str, str]) -> Seat:
    """Returns the client's process and whether it is attended. An SDK's program may or may not show questions to somebody:
    without the client's variable that is unknown."""
    number = environ.get("CLAUDE_PID", "")
    process = int(number) if number.isascii() and number.isdigit() else 0
    entry = environ.get("CLAUDE_CODE_ENTRYPOINT", "")
    attended = ATTENDED_VALUES.get(environ.get("CLAUDE_CODE_SESSION_ATTENDED", ""))
    if entry == "cli":
        return Seat(process, attended is not False)
    return Seat(process, False if entry == "sdk-cli" or attended is False else None)

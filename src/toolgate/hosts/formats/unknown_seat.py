"""Parts of a host that tells nothing of its person: none of its variables tells whether somebody is there."""

from collections.abc import Iterable, Mapping

from toolgate.model.event import ToolCall
from toolgate.model.host import Seat


def explain_lost_question(_call: ToolCall, _changed_paths: Iterable[str]) -> str:
    """Returns nothing: the capabilities of the host alone decide whether it asks."""
    return ""


def read_seat(_environ: Mapping[str, str]) -> Seat:
    return Seat(0, None)

"""The forms of detectors: rows in the tables beside this file."""

from collections.abc import Callable
from typing import Literal, NamedTuple

Tier = Literal["sure", "likely", "personal"]
"""`sure`: a format that only secrets have. `likely`: something with a secret's name and a value that looks like one.
`personal`: about a person."""


class Token(NamedTuple):
    """A value with a mark. `marks`: literals, case-sensitive, one of which it contains; the pattern is matched where the mark
    begins, or searched from `back` characters before it, or up to `ahead` after it.

    The hit is the first group, or the whole match. `reach`: how far beyond
    the mark a search goes. `entropy` (bits a character), `variety` (different characters) and `digits`
    are minima for the found text; `stops`: texts that it must not contain.
    `masked`: also found as a made-up example (`xxxxxx`), since nothing else has this form.
    """

    kind: str
    marks: str
    pattern: str
    entropy: float = 0.0
    variety: int = 4
    digits: int = 0
    back: int = 0
    ahead: int = 0
    reach: int = 400
    stops: tuple[str, ...] = ()
    masked: bool = False


class NamedKey(NamedTuple):
    """A value of a common shape beside its issuer's name: `adobe_client_id = "0f3c..."`.

    `names`: lower case, blank separated. `shapes`: expressions, one of which the whole value matches, case folded.
    """

    kind: str
    names: str
    shapes: str
    entropy: float = 0.0


class Hit(NamedTuple):
    """The position and kind of a finding. `end` is exclusive."""

    start: int
    end: int
    kind: str


Probe = Callable[[str, int, int], Hit | None]
"""Called where a literal occurs, with its start and end."""

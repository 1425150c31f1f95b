"""The forms that a detector can have: one row each in the tables beside this file."""

from collections.abc import Callable
from typing import Literal, NamedTuple

Tier = Literal["sure", "likely", "personal"]
"""`sure`: a format that only a secret has. `likely`: something that is called a secret, with a value that looks like one.
`personal`: about a person."""


class Token(NamedTuple):
    """A value that carries a mark. `marks`: literals, exact in case, one of which it holds; the pattern is matched where the mark
    begins, or searched from `back` characters before it, or up to `ahead` after it.

    What is found is the first group, else the whole. `reach`: how far beyond
    the mark a search goes. `entropy` (bits a character), `variety` (different characters) and `digits`
    are the least that the found text must have; `stops`: what it must not hold, in capitals.
    `masked`: found also where it is made up to show one (`xxxxxx`): nothing else has its form.
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


class Named(NamedTuple):
    """A value of a shape that many things have, beside its issuer's name: `adobe_client_id = "0f3c..."`.

    `names`: lower case, blank separated. `shapes`: expressions, one of which the whole value matches, case folded.
    """

    kind: str
    names: str
    shapes: str
    entropy: float = 0.0


class Hit(NamedTuple):
    """Where in the text something was found, and what. `end` is exclusive."""

    start: int
    end: int
    kind: str


Probe = Callable[[str, int, int], Hit | None]
"""Tried where a literal stands from start to end."""

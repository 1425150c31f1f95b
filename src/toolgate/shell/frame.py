"""What a shell begins with."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from toolgate.model.effect import HERE, Site, Span
from toolgate.model.word import EMPTY, Hole, Maybe, Word

from .protocol import Body, Values


@dataclass(slots=True)
class Shown:
    """What a text prints that nobody takes up, so that whoever started it reads it: the commands it comes from, and the variables
    whose values stand in it."""

    commands: set[int] = field(default_factory=set)
    variables: set[str] = field(default_factory=set)

    def add(self, words: tuple[Word, ...]) -> None:
        for word in words:
            self.commands |= word.src
            self.variables.update(part.variable for part in word.parts if isinstance(part, Hole) and part.variable)


@dataclass(frozen=True, slots=True)
class Frame:
    """What a text inherits from whatever runs it. `span`: where in the request it stands, when it is not the request's own.
    `zsh`: the shell may be one, which passes unquoted values on whole. `dialect`: how the text is read, see dialects.parser.
    `functions`: what whoever runs it has exported. `is_dash`: where dash may read it, it surely does. `file`: see Origin.
    `shown`: where the
    text is run without capture, what becomes of what it prints."""

    cwd: tuple[Word, ...]
    home: tuple[Word, ...]
    environ: Mapping[str, str] = field(default_factory=dict)
    variables: Mapping[str, Values] = field(default_factory=dict)
    site: Site = HERE
    via: tuple[str, ...] = ()
    arguments: tuple[Word, ...] = ()
    stdin: Word = EMPTY
    span: Span | None = None
    sure: Maybe = True
    always: bool = True
    depth: int = 0
    file: str = ""
    zsh: bool = False
    dialect: str = "bash"
    is_dash: bool = False
    functions: Mapping[str, tuple[Body, ...]] = field(default_factory=dict)
    shown: Shown | None = None

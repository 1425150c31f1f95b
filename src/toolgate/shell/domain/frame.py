"""Initial state of a shell."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from toolgate.model.effect import LOCAL_SITE, Carrier, Site, Span
from toolgate.model.word import EMPTY, Hole, Maybe, Word, known_word
from toolgate.shell.syntax.dialects import BASH, Dialect

from .protocol import Array, Body, Values
from .values import unset_value

ERRORS_AS_OUTPUT = "2>&1"
"""An option of the shell: its standard error may be its standard output."""
ERRORS_ASIDE = "2>&1 outside"
"""An option of the shell of a substitution: the errors of a text that captures them go past what the substitution captures."""


_MAX_TEXTS = 10_000


@dataclass(slots=True)
class DisplayedOutput:
    """Output of a text that is not captured, so that whoever started it reads it: the commands it comes from, the variables in
    it, and the known parts of its text, up to a limit."""

    commands: set[int] = field(default_factory=set)
    variables: set[str] = field(default_factory=set)
    texts: list[str] = field(default_factory=list)

    def add_words(self, words: tuple[Word, ...]) -> None:
        for word in words:
            self.commands |= word.src
            self.variables.update(part.variable for part in word.parts if isinstance(part, Hole) and part.variable)
            if len(self.texts) < _MAX_TEXTS:
                self.texts += [part for part in word.parts if isinstance(part, str)]


@dataclass(frozen=True, slots=True)
class Frame:
    """State that a text inherits from its caller. `span`: its position in the request, if it is not the request's own text.
    `dialect`: the shells that may read it. `functions`: functions exported by the caller. `file`: see Origin. `shown`: collects
    what whoever started the call reads: errors, and the output if the text is run without capture. None: errors are captured
    with the output. `errors`: collects those of substitutions in that case, which are part of the text's output alone.
    `outcomes`: those of tests on known values, for the next round of a loop, each with its test, whose address is in the key."""

    cwd: tuple[Word, ...]
    home: tuple[Word, ...]
    environ: Mapping[str, str] = field(default_factory=dict)
    variables: Mapping[str, Values] = field(default_factory=dict)
    site: Site = LOCAL_SITE
    via: tuple[Carrier, ...] = ()
    arguments: tuple[Word, ...] = ()
    stdin: Word = EMPTY
    span: Span | None = None
    sure: Maybe = True
    always: bool = True
    depth: int = 0
    file: str = ""
    dialect: Dialect = BASH
    functions: Mapping[str, tuple[Body, ...]] = field(default_factory=dict)
    shown: DisplayedOutput | None = None
    errors: list[Word] = field(default_factory=list)
    outcomes: dict[object, tuple[object, Maybe]] = field(default_factory=dict)


def find_own_values(name: str, frame: Frame, sources: Array) -> Values:
    """Returns the values of a variable that the text does not set: those that a shell sets by itself or inherits; otherwise one
    unknown value. `sources`: the files whose text runs, the innermost first."""
    if name == "HOME":
        return frame.home
    if name == "IFS":
        return (known_word(" \t\n"),)  # a shell sets it when it starts, whatever the environment holds
    if name == "BASH_SOURCE" and sources:
        is_sure = not (frame.dialect.may_be_zsh or frame.dialect.may_be_dash)
        return (sources,) if is_sure else (sources, unset_value(name))
    text = frame.environ.get(name)
    return (known_word(text),) if text is not None else (unset_value(name),)

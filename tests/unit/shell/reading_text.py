"""Reads shell text against a simulated machine: its commands and their directories."""

from toolgate.machine.simulated_world import SimulatedWorld
from toolgate.model.action import RunShell
from toolgate.model.effect import Effects, Opaque, Run
from toolgate.model.event import Caller, Scene
from toolgate.model.word import Word
from toolgate.understand import understand

WORLD = SimulatedWorld(
    files={"/w/list": "a b\nc\n", "/w/s.sh": "m1 script $1\nx=sourced\n"},
    folders=frozenset(("/w/sub/deep", "/w/other", "/home/u", "/tmp")),
)


def read(text: str, world: SimulatedWorld = WORLD, **environ: str) -> Effects:
    """Reads the text as bash does, unless SHELL names another shell."""
    scene = Scene(Caller("test"), "/w", "/w", "/home/u", {"SHELL": "/bin/bash", **environ}, "u")
    return understand(RunShell(text), scene, world)


def render_word(word: Word) -> str:
    """Returns known text as it is, else the pattern; `...` marks what may be several words or none."""
    text = word.text
    return text if text is not None else word.pattern + ("..." if word.splits else "")


def list_markers(text: str, world: SimulatedWorld = WORLD, **environ: str) -> list[list[str]]:
    """Returns every marker with its arguments, each once."""
    commands = [effect for effect in read(text, world, **environ).all if isinstance(effect, Run)]
    found = [[render_word(word) for word in command.argv] for command in commands]
    return [argv for n, argv in enumerate(found) if argv[0][:1] == "m" and argv not in found[:n]]


def places(text: str, name: str = "m1") -> list[str]:
    """Returns the directories in which a marker may run."""
    found = [
        render_word(effect.cwd)
        for effect in read(text).all
        if isinstance(effect, Run) and effect.cwd and render_word(effect.argv[0]) == name
    ]
    return list(dict.fromkeys(found))


def unread(text: str) -> list[str]:
    return [effect.why for effect in read(text).all if isinstance(effect, Opaque)]

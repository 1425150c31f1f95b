"""What would be answered in the host's place, where nothing but the proof itself stands in the way."""

from dataclasses import dataclass
from typing import Any

from toolgate.app import App
from toolgate.cases import Case
from toolgate.grounds import grounds
from toolgate.locate import zone_finder
from toolgate.model.action import Action, RunShell
from toolgate.model.decision import NO_OBJECTION
from toolgate.model.event import Scene
from toolgate.model.permission import ShellSetup
from toolgate.model.rule import Policy
from toolgate.model.world import Kind, NoAnswer, World
from toolgate.prompts.proving import Answered, Asked, prove

SYSTEM = ShellSetup(frozenset(), ("/usr/bin",))


@dataclass(frozen=True)
class Generous:
    """A world in which the system has every program; all else is as another world has it."""

    world: World

    def kind(self, path: str) -> Kind | NoAnswer:
        return "file" if path.startswith("/usr/bin/") and path.count("/") == 3 else self.world.kind(path)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.world, name)


def proven(action: Action, scene: Scene, world: World, *, silenced: bool = True, tool: str = "Bash") -> Answered:
    """`silenced`: as if no rule had anything to say about the call."""
    judgement = App(lambda: world).judge(action, scene, Policy())
    here: World = Generous(world)  # type: ignore[assignment]
    decision = NO_OBJECTION if silenced else judgement.decision
    zones_of = zone_finder(grounds(scene), here)
    return prove(Asked(action, tool, judgement.effects, decision, scene, here, zones_of, (), SYSTEM))


def of_case(case: Case, text: str, *, silenced: bool = True) -> Answered:
    return proven(RunShell(text), case.scene, case.world, silenced=silenced)

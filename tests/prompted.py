"""What the gate would answer in the host's place if only the proof itself could prevent it."""

from toolgate.app import App
from toolgate.cases import Case, CaseStores
from toolgate.consent.grants import Clause, Deed, Grant
from toolgate.locate import make_zone_finder
from toolgate.model.action import RunShell
from toolgate.model.decision import NO_OBJECTION
from toolgate.model.permission import ShellSetup
from toolgate.model.rule import Policy
from toolgate.prompts.observers import OBSERVERS
from toolgate.prompts.proving import Answered, Asked, prove
from toolgate.prompts.writers import TESTS
from toolgate.session_places import find_session_places
from toolgate.sessions.judgements import Judgement

EVERY_PROGRAM = ShellSetup(frozenset(), None)
OPTIONS = tuple("-p -v --parents -f -n -a --append -A --all -u -q --quiet -m -am --message --".split())
COMMANDS = (*OBSERVERS, "mkdir", "touch", "cp", "mv", "rm", "rmdir", "tee", "git add", "git commit")


_JUDGED: dict[tuple[int, str], Judgement] = {}
"""The same call is asked about with and without grants, and judging takes longest."""


def grant_everything(folder: str) -> tuple[Grant, ...]:
    """Returns grants for everything that can be granted below a folder, and for every test command."""
    deeds = (Deed("write", f"{folder}/**"), Deed("delete", f"{folder}/**"), Deed("git.commit", ""))
    clauses = [Clause(name, OPTIONS, deeds) for name in COMMANDS]
    return (Grant("generous", 1.0, (*clauses, *(Clause(each[0], test=each) for each in TESTS))),)


def of_case(case: Case, text: str, *, is_silenced: bool = True, folder: str = "") -> Answered:
    """Returns the answer to a case. `is_silenced`: as if no rule matched the call. `folder`: everything that can be granted below
    it is."""
    scene, world = case.scene, case.world
    judgement = _JUDGED.get((id(case), text)) or App(lambda: world, CaseStores(case)).judge(RunShell(text), scene, Policy())
    _JUDGED[id(case), text] = judgement
    decision = NO_OBJECTION if is_silenced else judgement.decision
    zones_of = make_zone_finder(find_session_places(scene), world)
    grants = grant_everything(folder) if folder else ()
    action = RunShell(text)
    return prove(Asked(action, "Bash", judgement.effects, decision, scene, world, zones_of, (), EVERY_PROGRAM, grants))

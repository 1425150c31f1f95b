"""The shell calls that ship as cases, and the judgement of each in its own world."""

from toolgate import cases
from toolgate.app import App
from toolgate.cases import Case
from toolgate.model.action import RunShell
from toolgate.model.decision import Decision, Verdict
from toolgate.model.event import Caller, Scene
from toolgate.model.rule import Policy

SHIPPED = [case for path in cases.iter_shipped_files() for case in cases.load_cases(path)]
SHELL = [case for case in SHIPPED if case.tool == "Bash" and not case.known_gap]
STOPS = [case for case in SHELL if Verdict.PASS not in case.expect]
PASSES = [case for case in SHELL if case.expect == {Verdict.PASS}]


def scene(case: Case) -> Scene:
    return Scene(Caller("claude-code", "laws"), case.cwd, case.project, case.home, {"HOME": case.home, **case.environ}, "u")


_ANSWERS: dict[tuple[int, str], Decision] = {}
"""Of the default policy. Many properties compare with them."""


def answer(case: Case, text: str) -> Decision:
    key = id(case), text
    if key not in _ANSWERS:
        _ANSWERS[key] = answer_under(Policy(), case, text)
    return _ANSWERS[key]


def answer_under(policy: Policy, case: Case, text: str) -> Decision:
    return App(lambda: case.world).judge(RunShell(text), scene(case), policy).decision


def text(case: Case) -> str:
    return str(case.input["command"])

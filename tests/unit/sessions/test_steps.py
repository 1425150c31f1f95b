"""Every step has the signature of its table, and adding one is one line in it."""

import inspect

import pytest

from toolgate.model.decision import Decision
from toolgate.sessions import steps
from toolgate.sessions.judgements import Judgement


@pytest.mark.parametrize("step", steps.DECIDING, ids=lambda step: step.__name__)
def test_a_deciding_step_maps_a_judgement_to_a_judgement(step: object) -> None:
    signature = inspect.signature(step)  # type: ignore[arg-type]
    annotations = [each.annotation for each in signature.parameters.values()]
    assert (annotations, signature.return_annotation) == ([steps.JudgedCall, Judgement], Judgement)


@pytest.mark.parametrize("step", steps.TELLING, ids=lambda step: step.__name__)
def test_a_telling_step_changes_only_what_is_told(step: object) -> None:
    signature = inspect.signature(step)  # type: ignore[arg-type]
    annotations = [each.annotation for each in signature.parameters.values()]
    assert (annotations, signature.return_annotation) == ([steps.JudgedCall, Judgement, Decision], Decision)


def test_every_step_of_the_module_is_in_a_table() -> None:
    tables = {step.__name__ for step in (*steps.DECIDING, *steps.TELLING)}
    shaped = {
        name
        for name, function in inspect.getmembers(steps, inspect.isfunction)
        if function.__module__ == steps.__name__
        and not name.startswith("_")
        and next(iter(inspect.signature(function).parameters)) == "call"
    }
    assert shaped - {"finish_decision", "prepare_answer"} == tables

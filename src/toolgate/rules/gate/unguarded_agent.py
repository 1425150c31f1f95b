"""Starting an agent that the gate does not stand before: one that calls no hooks, or finds other settings than here.

What it runs is judged by nobody. Where it only asks nobody, whether the gate stands before it is not seen from here. Let the
person start it, or start it as it is.
"""

from collections.abc import Iterator

from toolgate.model.decision import Match
from toolgate.model.effect import Effect, Environment, Operation
from toolgate.model.host import MOVING
from toolgate.model.rule import Context


def check(operation: Operation, _options: None, context: Context) -> Iterator[Match]:
    name = operation.target.shown if operation.target else "an agent"
    unguarded = operation.flag("unguarded")
    if unguarded is False and any(map(_moves_settings, context.effects.all)):
        unguarded = None
    if unguarded is not False:
        reason = f"This starts {name} so that no hook is called, or another's: nobody would judge its calls."
        yield Match(operation, reason, sure=unguarded)
    elif operation.flag("unasked") is not False:
        reason = f"This starts {name} so that it asks nobody; whether a gate stands before it is not known."
        yield Match(operation, reason, sure=None)


def _moves_settings(effect: Effect) -> bool:
    """Does something in the call give what it starts other settings, or does code name the variable that would?"""
    if isinstance(effect, Operation):
        return effect.name == "settings.moved"
    return isinstance(effect, Environment) and effect.name in MOVING

"""Starting an agent that the gate does not guard: one that calls no hooks, or reads other settings than here.

Nothing judges what it runs. An agent of another host is guarded where toolgate is registered with that host, too. Where an agent
is only started without questions, the gate cannot see whether hooks guard it. Let the person start it, or start it without these
options.
"""

from collections.abc import Iterator

from toolgate.model.decision import Match
from toolgate.model.effect import Effect, Environment, Operation
from toolgate.model.host import LOCATION_VARIABLES
from toolgate.model.rule import RuleContext

PROFILE_VARIABLE = "TOOLGATE_PROFILE"


def check(operation: Operation, _options: None, context: RuleContext) -> Iterator[Match]:
    name = operation.target.display_text if operation.target else "an agent"
    unguarded = operation.get_flag("unguarded")
    if unguarded is False and any(map(_is_settings_redirect, context.effects.all)):
        unguarded = None
    if unguarded is not False:
        reason = f"Starts {name} without the gate's hooks, so that nobody judges its calls."
        yield Match(operation, reason, "start it with its usual settings, or ask the user to start it.", unguarded)
    elif operation.get_flag("unregistered"):
        reason = f"Starts {name}, with which toolgate is not registered, so that nobody judges its calls."
        yield Match(operation, reason, "ask the user to register toolgate with it first.", None)
    elif operation.get_flag("unasked") is not False:
        reason = f"Starts {name} so that it asks nobody, and it is not known whether a gate judges its calls."
        yield Match(operation, reason, "start it without that option.", None)


def _is_settings_redirect(effect: Effect) -> bool:
    """Returns whether an effect of the call gives a program other settings, or code names the variable that would."""
    if isinstance(effect, Operation):
        return effect.name == "settings.moved"
    return isinstance(effect, Environment) and effect.name in (*LOCATION_VARIABLES, PROFILE_VARIABLE)

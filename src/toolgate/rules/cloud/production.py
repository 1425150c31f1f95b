"""Changing what runs in production: deployments, upgrades, migrations, rows of its databases, and files on its machines.

Others notice a mistake at once. Deploy to another environment first, or let the user start it. An environment counts as
production where an argument, a variable, the selected context or the machine says so; local clusters and dry runs pass.
"""

from collections.abc import Iterator

from toolgate.flows.started_services import is_started_here
from toolgate.locality import is_named_production, names_production
from toolgate.model.decision import Match
from toolgate.model.effect import Operation, Run, Write
from toolgate.model.place import LOCAL
from toolgate.model.rule import RuleContext


def check(change: Operation | Write, _options: None, context: RuleContext) -> Iterator[Match]:
    if isinstance(change, Write):
        machine, path = change.place.machine, change.place.path or ""
        if machine != LOCAL and is_named_production(machine) and not path.startswith("/tmp/"):
            yield Match(change, f"Writes to {path} on {machine.partition(':')[2]}, a machine in production.", _INSTEAD)
    elif is_started_here(change, context.effects):
        return
    elif change.get_flag("named") is True or _selects_production(change, context):
        yield Match(change, f"Changes what runs in production: {context.effects.describe(change)}.", _INSTEAD)


_INSTEAD = "try it in another environment, and let the user start it."
_SELECTING = frozenset(("use-context", "set-context", "use", "select", "set", "switch", "kubectx", "login", "link"))
"""Subcommands that select the environment of later commands: `kubectl config use-context`, `terraform workspace select`."""


def _selects_production(change: Operation, context: RuleContext) -> bool:
    """Returns whether an earlier command of the call selects production for later ones."""
    for run in context.effects.of_kind(Run):
        if run.origin.command >= change.origin.command:
            return False
        words = {word.text for word in run.argv[:4]}
        if not _SELECTING.isdisjoint(words) and any(map(names_production, run.argv[1:6])):
            return True
    return False

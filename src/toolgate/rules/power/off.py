"""Turning the machine off, restarting it or suspending it.

Everything that runs on it ends, this session too, and a remote machine may not come back. Let the person do it.
"""

from collections.abc import Iterator

from toolgate.flows.command_runs import list_runs
from toolgate.model.decision import Match
from toolgate.model.effect import Operation
from toolgate.model.rule import RuleContext


def check(power: Operation, _options: None, context: RuleContext) -> Iterator[Match]:
    is_subcommand = bool(power.origin.via) and power.origin.via[-1].guessed and _is_one_word(power, context)  # `bloop shutdown`
    if not power.origin.site.machine.startswith("container:") and not is_subcommand:
        message = f"Turns off, restarts or suspends this machine: {context.effects.quote_command(power)}."
        yield Match(power, message, "tell the user why it is needed.")


def _is_one_word(power: Operation, context: RuleContext) -> bool:
    return all(len(run.argv) == 1 for run in list_runs(power.origin.command, context.effects))

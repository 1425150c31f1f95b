"""Connecting a shell to a remote machine.

Whoever is there types commands here, with the user's rights, and nothing judges them. Use ssh for remote work: it requires a
login.
"""

from collections.abc import Iterator

from toolgate.flows.command_runs import list_runs
from toolgate.model.decision import Match
from toolgate.model.effect import Connect, Effects, Operation, Run
from toolgate.model.rule import RuleContext
from toolgate.model.shells import SHELLS
from toolgate.model.word import NO_SOURCES

_ADVICE = "run the commands here, or let the user open the connection."


def check(effect: Connect | Operation, _options: None, context: RuleContext) -> Iterator[Match]:
    if isinstance(effect, Operation):
        target = f" ({effect.target.display_text})" if effect.target is not None and effect.target.parts else ""
        yield Match(effect, f"Opens a remote shell on this machine{target}.", _ADVICE)
        return
    sent = effect.sends.src if effect.sends is not None else NO_SOURCES
    commands = context.effects.commands_feeding(sent | {effect.origin.command}) if sent else frozenset((effect.origin.command,))
    here = effect.origin.site.machine
    shells = context.effects.derive(_list_interactive_shells)
    carriers = [run for command in commands for run in list_runs(command, context.effects)] if shells else []
    for run in shells:
        if run.origin.command in commands or (
            run.origin.site.machine == here and any(_has_started(carrier, run) for carrier in carriers)
        ):
            yield Match(effect, f"Opens a remote shell to {effect.target.display_text or 'another machine'}.", _ADVICE)
            return


def _has_started(carrier: Run, run: Run) -> bool:
    """Returns whether the first run started the second (`sudo bash -i`). All commands of a sourced script share one span of the
    request, so the span alone is not enough."""
    before, via = carrier.origin.via, run.origin.via
    return (
        carrier.origin.span == run.origin.span
        and len(via) > len(before)
        and via[: len(before)] == before
        and via[len(before)].program == carrier.argv[0].file_name
    )


def _list_interactive_shells(effects: Effects) -> tuple[Run, ...]:
    return tuple(filter(_is_interactive_shell, effects.of_kind(Run)))


def _is_interactive_shell(run: Run) -> bool:
    """Returns whether the run is a shell that reads its commands from standard input: no script, no -c."""
    name = run.argv[0].file_name
    words = [word.text or "" for word in run.argv[1:]]
    return name in SHELLS and all(word.startswith("-") and "c" not in word for word in words)

"""Running something as another user, usually as root.

No permission of the system limits what it does. Most of an agent's work does not need it: install into the project, or ask the
person to run the one command. In a container it is no question: whoever starts the container decides what it may do.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from toolgate.model.decision import Match
from toolgate.model.effect import Escalate, Run
from toolgate.model.rule import RuleContext


@dataclass(frozen=True, slots=True)
class Options:
    """`programs`: names of programs that may be run as another user. `looking_is_fine`: a command that only shows the machine's
    state (`sudo -l`, `sudo lsof -i`, `sudo journalctl -u app`) passes."""

    programs: tuple[str, ...] = ()
    looking_is_fine: bool = True


def check(escalation: Escalate, options: Options, context: RuleContext) -> Iterator[Match]:
    if escalation.origin.site.machine.startswith("container:") or (options.looking_is_fine and escalation.only_looks):
        return  # who starts a container decides what it may do
    if options.programs and _has_only_listed_programs(escalation, options.programs, context):
        return
    here = not escalation.origin.site.machine.startswith("ssh:")  # a remote machine decides that itself
    message = f"Runs as {escalation.user or 'another user'}, with {escalation.how}."
    yield Match(escalation, message, f"do it without {escalation.how}, or let the user run it.", True if here else None)


def _has_only_listed_programs(escalation: Escalate, programs: tuple[str, ...], context: RuleContext) -> bool:
    carried = [
        effect
        for effect in context.effects.all
        if isinstance(effect, Run)
        and any(each.program == escalation.how for each in effect.origin.via)
        and effect.origin.command > escalation.origin.command
    ]
    return bool(carried) and all(run.argv[0].file_name in programs for run in carried)

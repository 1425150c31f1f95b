"""Setting an agent's own name, role, phase or lists of files for the programs that it starts.

These are `TOOLGATE_AGENT`, `TOOLGATE_ROLE`, `TOOLGATE_PHASE`, `TOOLGATE_READS` and `TOOLGATE_WRITES`. Whoever starts an agent
sets its identity, and what it was given. A program started with another name would be judged as another agent.
"""

from collections.abc import Iterator

from toolgate.model.decision import Match
from toolgate.model.effect import Environment
from toolgate.model.event import AGENT, PHASE, READS, ROLE, WRITES
from toolgate.model.rule import RuleContext


def check(change: Environment, _options: None, _context: RuleContext) -> Iterator[Match]:
    if change.name in (AGENT, ROLE, PHASE, READS, WRITES):
        message = f"Sets {change.name}, which only the program that starts an agent may set."
        yield Match(change, message, "leave the variable as it is.")

"""Destroying infrastructure, or the record of it.

Machines, networks and data go with it. `terraform plan -destroy` shows what would be destroyed.
"""

from collections.abc import Iterator

from toolgate.model.decision import Match
from toolgate.model.effect import Operation
from toolgate.model.rule import Context


def check(destroy: Operation, _options: None, _context: Context) -> Iterator[Match]:
    yield Match(destroy, "This destroys infrastructure.", instead="terraform plan -destroy")

"""Calling a tool that by its name changes files, with no argument that names them.

Ownership of files can be enforced only where every way of writing is understood. Use the tools that the gate knows, or the shell.
"""

from collections.abc import Iterator

from toolgate.model.decision import Match
from toolgate.model.effect import Operation
from toolgate.model.rule import RuleContext


def check(call: Operation, _options: None, _context: RuleContext) -> Iterator[Match]:
    name = call.target.display_text if call.target else "This tool"
    message = f"Judged by its name, {name} changes files, but none of its arguments names a file."
    yield Match(call, message, "use the tool for single files.")

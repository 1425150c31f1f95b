"""Publishing a package, or unpublishing one.

Others install it within minutes; a registry keeps every version. `--dry-run` shows what would be published.
"""

from collections.abc import Iterator

from toolgate.model.decision import Match
from toolgate.model.effect import Operation
from toolgate.model.rule import RuleContext


def check(publish: Operation, _options: None, context: RuleContext) -> Iterator[Match]:
    if publish.get_flag("dry_run") is not True:
        removes = publish.get_flag("removes") is True
        does = "Takes back a published package or a key" if removes else "Publishes a package to everybody"
        message = f"{does}: {context.effects.quote_command(publish)}."
        yield Match(publish, message, "try it as a dry run, and let the user do it.")

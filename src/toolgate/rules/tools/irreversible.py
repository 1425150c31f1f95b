"""Calling a tool that by its name deletes, pays, publishes, makes public, grants rights or stops something at a service.

The same holds for a forced push, a webhook or a rule that forwards mail, a protection that is switched off, a person who loses
access, and a job or workflow whose name says that it deletes.
Others may use the service, and most such actions cannot be undone. The verbs are in the tool's name (`delete_project`) or in an
argument such as `action` or `method`. Sent mail and merged pull requests ask (`gh pr merge`, too, unless `--auto` lets it wait
for those who review). Deploying and other messages ask only where the object is a production system, everything, or everybody;
a tool that reads passes. Look first with the server's tools that list or describe.
"""

from collections.abc import Iterator

from toolgate.model.decision import Match
from toolgate.model.effect import Operation
from toolgate.model.rule import RuleContext

_ACTION_TEXTS = {
    "deletes": "deletes or resets something at a service",
    "pays": "moves money",
    "grants": "gives somebody rights",
    "opens": "makes something public",
    "publishes": "publishes something",
    "stops": "stops something that runs at a service",
    "merges": "merges something",
    "deploys": "deploys something",
    "sends": "sends a message to others",
    "overwrites": "overwrites the commits of a branch",
    "forwards": "passes on what arrives at a service to another address",
    "weakens": "switches off a protection",
    "leaks": "sends what a page keeps (cookies, storage) to another host",
    "alters": "changes something in production",
    "untold": "changes something at a service that is not known",
    "installs": "installs a program that runs from then on",
    "reaches": "changes what customers, money or rights depend on",
    "operates": "operates a machine or a plant",
    "binds": "makes something final: it is published, paid or declared",
    "bills": "starts a machine that costs tens of dollars an hour",
    "multiplies": "creates machines that cost money, in a loop",
    "excludes": "takes somebody's access",
}


def check(act: Operation, _options: None, _context: RuleContext) -> Iterator[Match]:
    does = next((text for kind, text in _ACTION_TEXTS.items() if act.get_flag(kind) is True), "changes something at a service")
    tool = act.target.display_text if act.target else "this tool"
    what = f"{tool} {does}." if act.get_flag("leaks") is True else f"Judged by its name, {tool} {does}."
    is_untold = act.get_flag("untold") is True
    yield Match(act, what, instead=_DESCRIBE if is_untold else "list what it would change, and show the user.")


_DESCRIBE = "let the user run it, or describe what the tool does in the policy ([mcp])."

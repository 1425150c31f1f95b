"""The rules, one module each. GROWS: a rule is one module, its cases beside it, and a row in this table.

A rule's id is its path: `git.force-push` is rules/git/force_push.py. The row lists the effects that trigger it, the verdict of
its matches unless the policy sets another, and the floor that nothing lowers; the module decides what matches, and explains why.
"""

from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from importlib import import_module
from types import ModuleType
from typing import Any

from toolgate.model.decision import Match, Verdict
from toolgate.model.rule import RuleContext, RuleRow, rule_row

PASS, WARN, ASK, DENY = Verdict
FILE_CHANGES = ("Write", "Delete", "Move", "Link")

TABLE: dict[str, RuleRow] = {
    "cloud.delete": rule_row("cloud.delete", verdict=ASK, unsure=ASK),
    "containers.delete-volume": rule_row("container.delete-volume", "container.remove", "Delete", verdict=ASK, unsure=ASK),
    "containers.escape": rule_row("container.escape", verdict=ASK, unsure=ASK),
    "containers.prune": rule_row("container.prune", "container.remove", "container.kill", verdict=ASK, unsure=ASK),
    "containers.remove": rule_row("container.remove", verdict=ASK, unsure=WARN, strictest={"only_forced": False}),
    "credentials.read": rule_row("Read", verdict=DENY, unsure=PASS),
    "credentials.read-tree": rule_row("Read", verdict=ASK, unsure=PASS),
    "credentials.write": rule_row("Write", "Delete", "Move", "Link", "Permission", verdict=DENY, unsure=PASS, floor=(DENY, PASS)),
    "cloud.production": rule_row("production.change", "Write", verdict=ASK, unsure=PASS),
    "cloud.weaken": rule_row("safeguard.weaken", verdict=ASK, unsure=ASK),
    "databases.delete-all": rule_row("database.delete", verdict=ASK, unsure=ASK),
    "databases.drop": rule_row("database.drop", verdict=ASK, unsure=ASK),
    "databases.grant": rule_row("database.grant", verdict=ASK, unsure=ASK),
    "device.destroy": rule_row("disk.destroy", verdict=DENY, unsure=ASK, floor=(DENY, ASK)),
    "device.write": rule_row("Write", "Move", verdict=DENY, unsure=PASS, floor=(DENY, PASS)),
    "filesystem.blocked": rule_row("Write", "Delete", "Move", "Link", "Permission", verdict=DENY, unsure=ASK),
    "filesystem.delete-outside-project": rule_row("Delete", "Move", verdict=ASK, unsure=PASS),
    "filesystem.delete-project": rule_row("Delete", "Move", verdict=ASK, unsure=PASS),
    "filesystem.delete-protected": rule_row("Delete", "Move", verdict=DENY, unsure=ASK, floor=(DENY, ASK)),
    "filesystem.delete-recursive": rule_row("Delete", verdict=PASS, unsure=PASS),
    "filesystem.delete-uncommitted": rule_row("Delete", verdict=ASK, unsure=PASS),
    "filesystem.permission-protected": rule_row("Permission", verdict=DENY, unsure=ASK, floor=(DENY, ASK)),
    "filesystem.permission-world-writable": rule_row("Permission", verdict=ASK, unsure=PASS, strictest={"only_recursive": False}),
    "filesystem.set-user-id": rule_row("Permission", verdict=ASK, unsure=PASS),
    "filesystem.write-outside-project": rule_row("Write", "Move", "Link", verdict=ASK, unsure=PASS),
    "filesystem.write-system": rule_row("Write", "Move", "Link", verdict=DENY, unsure=PASS, floor=(DENY, PASS)),
    "gate.control": rule_row(
        "gate.control",
        "Read",
        "Run",
        "process.attach",
        "process.kill",
        "service.control",
        "package.install",
        "package.remove",
        verdict=DENY,
        unsure=ASK,
        floor=(DENY, ASK),
    ),
    "gate.hooks": rule_row("Write", "Delete", "Move", "Link", "Permission", "Mount", verdict=DENY, unsure=PASS),
    "gate.project-hooks": rule_row("Write", "Delete", "Move", "Link", "Permission", "Mount", verdict=ASK, unsure=PASS),
    "gate.self-approval": rule_row(
        "gate.answer",
        "gate.code",
        "terminal.type",
        "Run",
        "Read",
        "Write",
        "Interpret",
        "Environment",
        verdict=DENY,
        unsure=ASK,
        floor=(DENY, ASK),
    ),
    "gate.unguarded-agent": rule_row("agent.start", verdict=DENY, unsure=ASK, floor=(DENY, PASS)),
    "gate.tamper": rule_row(
        "Write", "Delete", "Move", "Link", "Permission", "Mount", verdict=DENY, unsure=ASK, floor=(DENY, ASK)
    ),
    "git.clean": rule_row("git.clean", "Delete", verdict=ASK, unsure=WARN, strictest={"only_above_project": False}),
    "git.delete-branch": rule_row("git.branch", verdict=ASK, unsure=WARN),
    "git.delete-repository": rule_row("Delete", "Move", "Write", verdict=ASK, unsure=PASS),
    "git.discard": rule_row("git.checkout", "git.restore", "git.switch", "git.stash", "git.worktree", verdict=ASK, unsure=WARN),
    "git.erase": rule_row("git.erase", verdict=ASK, unsure=ASK),
    "git.force-push": rule_row("git.push", verdict=ASK, unsure=WARN, strictest={"lease_is_fine": False, "delete_is_fine": False}),
    "git.hard-reset": rule_row("git.reset", verdict=ASK, unsure=WARN),
    "git.rebase": rule_row("git.rebase", verdict=PASS, unsure=PASS),
    "git.rewrite-history": rule_row("git.rewrite-history", verdict=ASK, unsure=ASK),
    "git.skip-hooks": rule_row(
        "git.hooks", "Delete", "Move", "Permission", verdict=ASK, unsure=WARN, strictest={"once_is_fine": False}
    ),
    "infrastructure.destroy": rule_row("infrastructure.destroy", "Delete", verdict=ASK, unsure=ASK),
    "kubernetes.delete": rule_row("kubernetes.delete", verdict=ASK, unsure=ASK),
    "network.download-and-run": rule_row("Interpret", verdict=DENY, unsure=ASK),
    "network.cut-off": rule_row("network.cut", verdict=ASK, unsure=WARN),
    "network.exfiltrate": rule_row("Connect", verdict=DENY, unsure=PASS),
    "network.firewall": rule_row("firewall.change", verdict=ASK, unsure=WARN),
    "network.expose": rule_row("network.expose", verdict=ASK, unsure=WARN),
    "network.flood": rule_row("network.flood", verdict=ASK, unsure=WARN),
    "network.metadata": rule_row("Connect", verdict=ASK, unsure=PASS),
    "network.reverse-shell": rule_row("Connect", "network.shell", verdict=DENY, unsure=ASK),
    "network.send-environment": rule_row("Connect", "Environment", verdict=ASK, unsure=WARN),
    "network.send-project": rule_row("Connect", "git.send", verdict=ASK, unsure=WARN),
    "network.web-access": rule_row("Connect", verdict=PASS, unsure=PASS),
    "packages.odd-source": rule_row("package.source", verdict=ASK, unsure=PASS),
    "packages.publish": rule_row("package.publish", verdict=ASK, unsure=ASK),
    "packages.remove-essential": rule_row("package.remove", verdict=ASK, unsure=WARN),
    "persistence.scheduler": rule_row("Write", "Delete", "Move", "Link", "schedule.change", verdict=ASK, unsure=PASS),
    "persistence.setting": rule_row(
        "setting.runs", "setting.redirects", "setting.server", "setting.extension", verdict=ASK, unsure=WARN
    ),
    "persistence.start-up": rule_row("Write", "Move", "Link", "git.config", verdict=ASK, unsure=PASS),
    "plan.unfinished": rule_row("turn.end", verdict=PASS, unsure=PASS),
    "plan.unplanned": rule_row(
        "Run",
        "Environment",
        "Interpret",
        "Opaque",
        "Connect",
        "Write",
        "Delete",
        "Move",
        "Link",
        "Permission",
        "shell.nothing",
        verdict=PASS,
        unsure=PASS,
    ),
    "power.off": rule_row("power.off", verdict=ASK, unsure=ASK),
    "privilege.accounts": rule_row("account.change", "Write", verdict=ASK, unsure=WARN),
    "privilege.escalate": rule_row("Escalate", verdict=ASK, unsure=WARN),
    "process.kill-all": rule_row("process.kill", verdict=ASK, unsure=ASK),
    "provenance.run-fetched": rule_row("Run", "Interpret", verdict=ASK, unsure=ASK),
    "provenance.untrusted-value": rule_row("Connect", "Run", verdict=ASK, unsure=ASK),
    "resources.fill": rule_row("disk.allocate", "disk.fill", "memory.fill", "Write", verdict=ASK, unsure=WARN),
    "resources.fork-bomb": rule_row("process.replicate", verdict=DENY, unsure=ASK),
    "resources.mine": rule_row("Run", verdict=ASK, unsure=ASK),
    "resources.multiply": rule_row("Run", verdict=ASK, unsure=PASS),
    "secrets.address-in-team-files": rule_row("Write", verdict=DENY, unsure=DENY),
    "secrets.environment-file": rule_row("Read", verdict=ASK, unsure=PASS),
    "secrets.git-identity": rule_row("git.identity", "Read", verdict=PASS, unsure=PASS),
    "secrets.mcp-config": rule_row("Write", verdict=DENY, unsure=DENY),
    "secrets.placeholder": rule_row("Write", verdict=DENY, unsure=DENY),
    "secrets.private-key": rule_row("Read", verdict=ASK, unsure=PASS),
    "secrets.print": rule_row("credential.print", "environment.print", "Run", "Read", verdict=ASK, unsure=WARN),
    "secrets.send": rule_row("Send", verdict=DENY, unsure=ASK),
    "secrets.write": rule_row("Write", verdict=DENY, unsure=ASK),
    "secrets.write-likely": rule_row("Write", verdict=WARN, unsure=WARN),
    "services.stop": rule_row("service.control", verdict=ASK, unsure=WARN),
    "shell.obfuscated": rule_row("Interpret", verdict=DENY, unsure=ASK),
    "shell.opaque": rule_row("Opaque", "Interpret", verdict=ASK, unsure=ASK),
    "shell.start-up-variable": rule_row("Environment", verdict=ASK, unsure=WARN),
    "system.erase-traces": rule_row("trace.erase", "Environment", verdict=ASK, unsure=WARN),
    "system.kernel": rule_row("kernel.change", verdict=ASK, unsure=WARN),
    "system.mount": rule_row("disk.mount", verdict=ASK, unsure=WARN),
    "system.settings": rule_row("machine.setting", verdict=ASK, unsure=WARN),
    "tools.irreversible": rule_row("tool.act", verdict=ASK, unsure=PASS),
    "team.before-confirmation": rule_row(*FILE_CHANGES, verdict=PASS, unsure=PASS),
    "team.change-lockouts": rule_row("team.lockout", verdict=DENY, unsure=ASK, floor=(DENY, ASK)),
    "team.claim-role": rule_row("Environment", verdict=PASS, unsure=PASS),
    "team.coordinator-writes": rule_row(*FILE_CHANGES, verdict=PASS, unsure=PASS),
    "team.decisions-directly": rule_row(*FILE_CHANGES, verdict=PASS, unsure=PASS),
    "team.edit-log": rule_row(*FILE_CHANGES, verdict=PASS, unsure=PASS),
    "team.forge-records": rule_row(*FILE_CHANGES, verdict=PASS, unsure=PASS),
    "team.locked-out": rule_row(*FILE_CHANGES, verdict=PASS, unsure=PASS),
    "team.own-charter": rule_row(*FILE_CHANGES, verdict=PASS, unsure=PASS),
    "team.read-private": rule_row("Read", verdict=PASS, unsure=PASS),
    "team.remove-registry-entry": rule_row(*FILE_CHANGES, verdict=PASS, unsure=PASS),
    "team.rewrite-append-only": rule_row(*FILE_CHANGES, verdict=PASS, unsure=PASS),
    "team.too-many-lockouts": rule_row(*FILE_CHANGES, verdict=PASS, unsure=PASS),
    "team.unknown-tool": rule_row("tool.unread", verdict=PASS, unsure=PASS),
    "team.write-outside-scope": rule_row(*FILE_CHANGES, verdict=PASS, unsure=PASS),
}

RULES_BY_TRIGGER: dict[str, tuple[str, ...]] = {}
for _rule, _row in TABLE.items():
    for _trigger in _row.triggers:
        RULES_BY_TRIGGER[_trigger] = (*RULES_BY_TRIGGER.get(_trigger, ()), _rule)

Check = Callable[[Any, Any, RuleContext], Iterator[Match]]


@lru_cache(None)
def load_rule_module(rule: str) -> ModuleType:
    """Returns a rule's module, imported when its trigger first occurs."""
    return import_module(f"{__name__}.{rule.replace('-', '_')}")


@lru_cache(None)
def load_check(rule: str) -> Check:
    """Returns a rule's function, imported when its trigger first occurs."""
    found: Check = load_rule_module(rule).check
    return found


def build_options(rule: str, payload: Mapping[str, object]) -> object:
    """Returns the rule's options with the policy's values over the defaults; None for a rule without options."""
    kind = _find_options_class(rule) if payload else None
    return build_default_options(rule) if kind is None else kind(**payload)


@lru_cache(None)
def _find_options_class(rule: str) -> Callable[..., object] | None:
    return getattr(load_rule_module(rule), "Options", None)


@lru_cache(None)
def build_default_options(rule: str) -> object:
    """Returns the rule's options with their defaults; None for a rule without options."""
    kind = _find_options_class(rule)
    return None if kind is None else kind()


def read_headline(rule: str) -> str:
    """Returns the first line of the rule's page."""
    return (load_rule_module(rule).__doc__ or rule).strip().partition("\n")[0]

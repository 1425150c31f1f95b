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
from toolgate.model.rule import Context, Row, on

PASS, WARN, ASK, DENY = Verdict
CHANGING = ("Write", "Delete", "Move", "Link")

TABLE: dict[str, Row] = {
    "cloud.delete": on("cloud.delete", verdict=ASK, unsure=ASK),
    "containers.delete-volume": on("container.delete-volume", "container.remove", "Delete", verdict=ASK, unsure=ASK),
    "containers.escape": on("container.escape", verdict=ASK, unsure=ASK),
    "containers.prune": on("container.prune", "container.remove", "container.kill", verdict=ASK, unsure=ASK),
    "containers.remove": on("container.remove", verdict=ASK, unsure=WARN),
    "credentials.read": on("Read", verdict=DENY, unsure=PASS),
    "credentials.read-tree": on("Read", verdict=ASK, unsure=PASS),
    "credentials.write": on("Write", "Delete", "Move", "Link", "Permission", verdict=DENY, unsure=PASS, floor=(DENY, PASS)),
    "databases.delete-all": on("database.delete", verdict=ASK, unsure=ASK),
    "databases.drop": on("database.drop", verdict=ASK, unsure=ASK),
    "databases.grant": on("database.grant", verdict=ASK, unsure=ASK),
    "device.destroy": on("disk.destroy", verdict=DENY, unsure=ASK, floor=(DENY, ASK)),
    "device.write": on("Write", "Move", verdict=DENY, unsure=PASS, floor=(DENY, PASS)),
    "filesystem.blocked": on("Write", "Delete", "Move", "Link", "Permission", verdict=DENY, unsure=ASK),
    "filesystem.delete-outside-project": on("Delete", "Move", verdict=ASK, unsure=PASS),
    "filesystem.delete-project": on("Delete", "Move", verdict=ASK, unsure=PASS),
    "filesystem.delete-protected": on("Delete", "Move", verdict=DENY, unsure=ASK, floor=(DENY, ASK)),
    "filesystem.delete-recursive": on("Delete", verdict=PASS, unsure=PASS),
    "filesystem.delete-uncommitted": on("Delete", verdict=ASK, unsure=PASS),
    "filesystem.permission-protected": on("Permission", verdict=DENY, unsure=ASK, floor=(DENY, ASK)),
    "filesystem.permission-world-writable": on("Permission", verdict=ASK, unsure=PASS),
    "filesystem.set-user-id": on("Permission", verdict=ASK, unsure=PASS),
    "filesystem.write-outside-project": on("Write", "Move", "Link", verdict=ASK, unsure=PASS),
    "filesystem.write-system": on("Write", "Move", "Link", verdict=DENY, unsure=PASS, floor=(DENY, PASS)),
    "gate.control": on(
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
    "gate.hooks": on("Write", "Delete", "Move", "Link", "Permission", "Mount", verdict=DENY, unsure=PASS),
    "gate.project-hooks": on("Write", "Delete", "Move", "Link", "Permission", "Mount", verdict=ASK, unsure=PASS),
    "gate.self-approval": on(
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
    "gate.unguarded-agent": on("agent.start", verdict=DENY, unsure=ASK, floor=(DENY, PASS)),
    "gate.tamper": on("Write", "Delete", "Move", "Link", "Permission", "Mount", verdict=DENY, unsure=ASK, floor=(DENY, ASK)),
    "git.clean": on("git.clean", verdict=ASK, unsure=WARN),
    "git.delete-branch": on("git.branch", verdict=ASK, unsure=WARN),
    "git.delete-repository": on("Delete", "Move", "Write", verdict=ASK, unsure=PASS),
    "git.discard": on("git.checkout", "git.restore", "git.switch", "git.stash", "git.worktree", verdict=ASK, unsure=WARN),
    "git.erase": on("git.erase", verdict=ASK, unsure=ASK),
    "git.force-push": on("git.push", verdict=ASK, unsure=WARN),
    "git.hard-reset": on("git.reset", verdict=ASK, unsure=WARN),
    "git.rebase": on("git.rebase", verdict=PASS, unsure=PASS),
    "git.rewrite-history": on("git.rewrite-history", verdict=ASK, unsure=ASK),
    "infrastructure.destroy": on("infrastructure.destroy", "Delete", verdict=ASK, unsure=ASK),
    "kubernetes.delete": on("kubernetes.delete", verdict=ASK, unsure=ASK),
    "network.download-and-run": on("Interpret", verdict=DENY, unsure=ASK),
    "network.cut-off": on("network.cut", verdict=ASK, unsure=WARN),
    "network.exfiltrate": on("Connect", verdict=DENY, unsure=PASS),
    "network.firewall": on("firewall.change", verdict=ASK, unsure=WARN),
    "network.expose": on("network.expose", verdict=ASK, unsure=WARN),
    "network.metadata": on("Connect", verdict=ASK, unsure=PASS),
    "network.reverse-shell": on("Connect", "network.shell", verdict=DENY, unsure=ASK),
    "network.send-environment": on("Connect", verdict=ASK, unsure=WARN),
    "network.send-project": on("Connect", "git.send", verdict=ASK, unsure=WARN),
    "packages.odd-source": on("package.source", verdict=ASK, unsure=PASS),
    "packages.publish": on("package.publish", verdict=ASK, unsure=ASK),
    "packages.remove-essential": on("package.remove", verdict=ASK, unsure=WARN),
    "persistence.scheduler": on("Write", "Delete", "Move", "Link", "schedule.change", verdict=ASK, unsure=PASS),
    "persistence.setting": on("setting.runs", "setting.redirects", verdict=ASK, unsure=WARN),
    "persistence.start-up": on("Write", "Move", "Link", "git.config", verdict=ASK, unsure=PASS),
    "plan.unfinished": on("turn.end", verdict=PASS, unsure=PASS),
    "plan.unplanned": on(
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
    "power.off": on("power.off", verdict=ASK, unsure=ASK),
    "privilege.accounts": on("account.change", "Write", verdict=ASK, unsure=WARN),
    "privilege.escalate": on("Escalate", verdict=ASK, unsure=WARN),
    "process.kill-all": on("process.kill", verdict=ASK, unsure=ASK),
    "provenance.run-fetched": on("Run", "Interpret", verdict=ASK, unsure=ASK),
    "provenance.untrusted-value": on("Connect", "Run", verdict=ASK, unsure=ASK),
    "resources.fill": on("disk.fill", "memory.fill", "Write", verdict=ASK, unsure=WARN),
    "resources.fork-bomb": on("process.replicate", verdict=DENY, unsure=ASK),
    "resources.mine": on("Run", verdict=ASK, unsure=ASK),
    "secrets.address-in-team-files": on("Write", verdict=DENY, unsure=DENY),
    "secrets.environment-file": on("Read", verdict=ASK, unsure=PASS),
    "secrets.git-identity": on("git.identity", "Read", verdict=PASS, unsure=PASS),
    "secrets.mcp-config": on("Write", verdict=DENY, unsure=DENY),
    "secrets.placeholder": on("Write", verdict=DENY, unsure=DENY),
    "secrets.print": on("credential.print", "environment.print", "Run", verdict=ASK, unsure=WARN),
    "secrets.send": on("Send", verdict=DENY, unsure=ASK),
    "secrets.write": on("Write", verdict=DENY, unsure=ASK),
    "secrets.write-likely": on("Write", verdict=WARN, unsure=WARN),
    "services.stop": on("service.control", verdict=ASK, unsure=WARN),
    "shell.obfuscated": on("Interpret", verdict=DENY, unsure=ASK),
    "shell.opaque": on("Opaque", "Interpret", verdict=ASK, unsure=ASK),
    "shell.start-up-variable": on("Environment", verdict=ASK, unsure=WARN),
    "system.erase-traces": on("trace.erase", "Environment", verdict=ASK, unsure=WARN),
    "system.kernel": on("kernel.change", verdict=ASK, unsure=WARN),
    "system.mount": on("disk.mount", verdict=ASK, unsure=WARN),
    "system.settings": on("machine.setting", verdict=ASK, unsure=WARN),
    "tools.irreversible": on("tool.act", verdict=ASK, unsure=PASS),
    "team.before-confirmation": on(*CHANGING, verdict=PASS, unsure=PASS),
    "team.change-lockouts": on("team.lockout", verdict=DENY, unsure=ASK, floor=(DENY, ASK)),
    "team.claim-role": on("Environment", verdict=PASS, unsure=PASS),
    "team.coordinator-writes": on(*CHANGING, verdict=PASS, unsure=PASS),
    "team.decisions-directly": on(*CHANGING, verdict=PASS, unsure=PASS),
    "team.edit-log": on(*CHANGING, verdict=PASS, unsure=PASS),
    "team.forge-records": on(*CHANGING, verdict=PASS, unsure=PASS),
    "team.locked-out": on(*CHANGING, verdict=PASS, unsure=PASS),
    "team.own-charter": on(*CHANGING, verdict=PASS, unsure=PASS),
    "team.read-private": on("Read", verdict=PASS, unsure=PASS),
    "team.remove-registry-entry": on(*CHANGING, verdict=PASS, unsure=PASS),
    "team.rewrite-append-only": on(*CHANGING, verdict=PASS, unsure=PASS),
    "team.too-many-lockouts": on(*CHANGING, verdict=PASS, unsure=PASS),
    "team.unknown-tool": on("tool.unread", verdict=PASS, unsure=PASS),
    "team.write-outside-scope": on(*CHANGING, verdict=PASS, unsure=PASS),
}

INDEX: dict[str, tuple[str, ...]] = {}
for _rule, _row in TABLE.items():
    for _trigger in _row.triggers:
        INDEX[_trigger] = (*INDEX.get(_trigger, ()), _rule)

Check = Callable[[Any, Any, Context], Iterator[Match]]


@lru_cache(None)
def module(rule: str) -> ModuleType:
    """Returns a rule's module, imported when its trigger first occurs."""
    return import_module(f"{__name__}.{rule.replace('-', '_')}")


def check(rule: str) -> Check:
    found: Check = module(rule).check
    return found


def options(rule: str, given: Mapping[str, object]) -> object:
    """Returns the rule's options with the policy's values over the defaults; None for a rule without options."""
    kind = _kind(rule) if given else None
    return _defaults(rule) if kind is None else kind(**given)


@lru_cache(None)
def _kind(rule: str) -> Callable[..., object] | None:
    return getattr(module(rule), "Options", None)


@lru_cache(None)
def _defaults(rule: str) -> object:
    kind = _kind(rule)
    return None if kind is None else kind()


def headline(rule: str) -> str:
    """Returns the first line of the rule's page."""
    return (module(rule).__doc__ or rule).strip().partition("\n")[0]

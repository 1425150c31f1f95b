"""Reads guardrails.json, version 1: patterns that block or ask to confirm, and folders that are safe or blocked.

Its fourteen starter patterns stand for the built-in rules with the same purpose; other patterns are matched against the command's
words as they are written.
"""

from typing import Annotated, Literal

from msgspec import Meta, Struct

from toolgate.model.decision import Verdict
from toolgate.model.errors import PolicyError
from toolgate.model.rule import WrittenRule
from toolgate.policy.formats import build_pattern_name, check_expression, parse_file
from toolgate.policy.statements import RuleSetting, Statements

STARTER_RULES = {
    "rm -rf /": ("filesystem.delete-protected",),
    "rm -rf ~": ("filesystem.delete-protected",),
    "rm -rf \\*": ("filesystem.delete-project",),
    "chmod -R 777": ("filesystem.permission-world-writable",),
    ":(){ :|:& };:": ("resources.fork-bomb",),
    "mkfs\\.": ("device.destroy", "device.write"),
    "mkfs.*": ("device.destroy", "device.write"),
    "dd if=.* of=/dev/": ("device.write",),
    "dd.*of=/dev/": ("device.write",),
    "> /dev/sda": ("device.write",),
    "shutdown": ("power.off",),
    "reboot": ("power.off",),
    "systemctl (stop|disable|mask)": ("services.stop",),
    "rm ": ("filesystem.delete-outside-project",),
    "kubectl delete": ("kubernetes.delete",),
    "docker rm": ("containers.remove",),
    "docker system prune": ("containers.prune",),
}
STARTER_OPTIONS = {"containers.remove": {"only_forced": False}}
PATH_RULES = {"blocked_paths": "filesystem.blocked", "outside_safe_paths": "filesystem.write-outside-project"}
VERDICTS = {"block": Verdict.DENY, "confirm": Verdict.ASK}

Action = Literal["block", "confirm"]


class CommandPattern(Struct, forbid_unknown_fields=True, frozen=True):
    pattern: Annotated[str, Meta(min_length=1, max_length=500)]
    action: Action
    outside_safe_paths: bool = False
    id: str = ""


class PathPatterns(Struct, forbid_unknown_fields=True, frozen=True):
    path_patterns: list[Annotated[str, Meta(min_length=1, max_length=500)]]
    action: Action
    id: str = ""


class PatternRules(Struct, forbid_unknown_fields=True, frozen=True):
    bash: list[CommandPattern] = []
    write: list[PathPatterns] = []
    edit: list[PathPatterns] = []


class GuardrailsFile(Struct, forbid_unknown_fields=True, frozen=True):
    version: int
    safe_paths: list[str] = []
    blocked_paths: list[str] = []
    rules: PatternRules = PatternRules()


def read_statements(data: bytes, file: str) -> Statements:
    guardrails = parse_file(data, file, GuardrailsFile)
    if guardrails.version != 1:
        raise PolicyError(file, "version", f"version {guardrails.version} is not known", "write version 1")
    rules: dict[str, RuleSetting] = {}
    written: list[WrittenRule] = []
    for n, command in enumerate(guardrails.rules.bash):
        verdict = VERDICTS[command.action]
        starters = STARTER_RULES.get(command.pattern, ())
        for rule in starters:
            unsure = max(verdict, Verdict.ASK) if rule.startswith("filesystem.delete") else None
            rules[rule] = RuleSetting(verdict, unsure, STARTER_OPTIONS.get(rule, {}))
        if not starters:
            written.append(_build_command_rule(command, file, f"rules.bash[{n + 1}]"))
    for kind, paths in (("write", guardrails.rules.write), ("edit", guardrails.rules.edit)):
        for n, path in enumerate(paths):
            for pattern in path.path_patterns:
                if pattern in PATH_RULES:
                    rules[PATH_RULES[pattern]] = RuleSetting(VERDICTS[path.action], Verdict.ASK)
                else:
                    written.append(_build_path_rule(path, pattern, f"{kind}.{n + 1}"))
    return Statements(
        "user",
        file,
        rules=rules,
        written=tuple(written),
        safe=tuple(guardrails.safe_paths),
        blocked=tuple(guardrails.blocked_paths),
    )


def _build_command_rule(command: CommandPattern, file: str, key: str) -> WrittenRule:
    verdict = VERDICTS[command.action]
    return WrittenRule(
        f"guardrails.{command.id or build_pattern_name(command.pattern)}",
        verdict,
        f"The pattern {command.pattern!r} of guardrails.json matches this command.",
        "user",
        text=check_expression(command.pattern, file, f"{key}.pattern"),
        zone="outside" if command.outside_safe_paths else "",
        unsure=verdict,
    )


def _build_path_rule(path: PathPatterns, pattern: str, key: str) -> WrittenRule:
    verdict = VERDICTS[path.action]
    reason = f"The path pattern {pattern!r} of guardrails.json matches this file."
    name = path.id or f"{key}.{build_pattern_name(pattern)}"
    return WrittenRule(f"guardrails.{name}", verdict, reason, "user", path=pattern, unsure=verdict)

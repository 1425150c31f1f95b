"""Opening access at any cloud provider: addresses of the whole internet, everybody as a member, new passwords.

This applies in addition to a program's own row, which knows its subcommands.
"""

import re
from collections.abc import Iterator
from itertools import pairwise

from toolgate.model.effect import Carrier, Interpret, Operation, ReportedEffect, Site
from toolgate.model.execution_context import ExecutionContext
from toolgate.model.word import Word, join_words

from .aws import AWS, is_emulated

_READ_VERBS = ("describe", "list", "get", "show", "search", "help", "ls", "view", "status", "print")
_OPEN_TO_EVERYBODY = re.compile(
    r"0\.0\.0\.0/0|::/0|\ballUsers\b|\ballAuthenticatedUsers\b|\ballusers\b|public-read(?:-write)?\b|authenticated-read\b"
    r"|\"Principal\"\s*:\s*(?:\"\*\"|\{\s*\"AWS\"\s*:\s*\"\*\")|--end-ip-address[= ]255\.255\.255\.255|AdministratorAccess\b|\bGroup=all\b|roles/owner\b"
)
_OPENING_OPTIONS = frozenset(
    "--publicly-accessible --allow-unauthenticated --public --enable-public-access --allow-blob-public-access "
    "--all-users --assign-public-ip --no-verify-jwt --acl-public".split()
)
_OPENING_VALUES = {
    "--public-access": ("blob", "container", "enabled", "true", "0.0.0.0"),
    "--public-access-type": ("objectread",),
    "--public-network-access": ("enabled",),
    "--allow-blob-public-access": ("true",),
    **dict.fromkeys(("--acl", "--s3-acl"), ("public-read", "public-read-write", "authenticated-read")),
    "--end-ip-address": ("255.255.255.255",),
    "--source-address-prefixes": ("*", "internet", "0.0.0.0/0"),
    "--source-ranges": ("0.0.0.0/0",),
    "--authorized-networks": ("0.0.0.0/0",),
    "--cidr": ("0.0.0.0/0", "::/0"),
    "--auth-type": ("none",),
    "--function-url-auth-type": ("none",),
    "--group-names": ("all",),
    "--values-to-add": ("all",),
}
_PASSWORD_OPTIONS = frozenset(
    "--master-user-password --admin-password --password --set-password --db-root-password --administrator-login-password --new-password".split()
)
_SETTING_VERB = re.compile(r"(?:modify|update|set|reset|create|change)(?:-|$)")


def find_access(name: str, argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    """Yields the access that a provider's command line of this name opens."""
    if len(argv) < 3:
        return
    texts = [word.text or "" for word in argv[1:]]
    words = [word for word in argv[1:] if word.starts_with("-") is False]
    verbs = [word.text or "" for word in words[:4]]
    if any(verb.partition("-")[0] in _READ_VERBS for verb in verbs[1:]) or "--dry-run" in texts:
        return
    if name == "aws" and is_emulated(argv[0], AWS.parse(argv), context):
        return
    if _opens_access(texts) or any(map(_ADDS_LOGIN_KEY, texts)) or _sets_password(verbs, texts) or _moves_domain(verbs, texts):
        yield Operation("cloud.delete", context.origin, join_words(words[:3]), (("dry_run", False), ("rights", True)))
    if name == "az" and verbs[1:3] in (["run-command", "invoke"], ["run-command", "create"]):
        yield from _az_run_command(argv, context)


_ADDS_LOGIN_KEY = re.compile(r"(?:--metadata=|.*,|^)ssh-?keys=.*", re.IGNORECASE | re.DOTALL).match
"""Matches the metadata of a machine with keys that may log in."""


def _opens_access(texts: list[str]) -> bool:
    if any(_OPEN_TO_EVERYBODY.search(text) for text in texts) or not _OPENING_OPTIONS.isdisjoint(texts):
        return True
    for option, value in (*pairwise(texts), *(text.split("=", 1) for text in texts if text.startswith("--") and "=" in text)):
        if any(value.lower().startswith(each) for each in _OPENING_VALUES.get(option, ())):
            return True
    return False


_OF_DOMAINS = re.compile(r"dns|route53|record|domain|zone")
_MAIL_OR_NAME_SERVERS = re.compile(r"""(?:type["']?\s*[:= ]\s*["']?|^)(?:MX|NS)\b""", re.IGNORECASE | re.MULTILINE)


def _moves_domain(verbs: list[str], texts: list[str]) -> bool:
    """Returns whether a command changes which servers take a domain's mail, or answer for its names."""
    changes = any(_SETTING_VERB.match(verb) or verb in ("add", "upsert", "transaction") for verb in verbs[1:])
    if not changes or not any(map(_OF_DOMAINS.search, verbs)):
        return False
    return any(map(_MAIL_OR_NAME_SERVERS.search, texts))


def _sets_password(verbs: list[str], texts: list[str]) -> bool:
    names = {text.partition("=")[0] for text in texts}
    changes = any(_SETTING_VERB.match(verb) for verb in verbs[1:])
    return (
        changes
        and (not _PASSWORD_OPTIONS.isdisjoint(names) or any(verb.endswith("-password") for verb in verbs))
        and "create" not in verbs
    )


def _az_run_command(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    """`az vm run-command invoke --scripts CODE` runs code on the named machine."""
    for option, code in pairwise(argv):
        if option.text == "--scripts":
            yield Interpret("shell", code, context.origin, via=Carrier("az", "vm run-command"), site=Site("ssh:azure"))

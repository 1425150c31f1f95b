"""What the command line of any service prints and permits, by the words that such programs share.

Services name their commands by a kind of thing and a verb (`tokens create`, `get-password-data`, `policy attach`), so that these
hold for commands and programs that no table describes.
"""

import re
from collections.abc import Iterator
from itertools import pairwise

from toolgate.model.effect import Carrier, Interpret, Operation, ReportedEffect, Run, Site
from toolgate.model.execution_context import ExecutionContext
from toolgate.model.word import Word, join_words, known_word
from toolgate.programs import FAMILY_OF
from toolgate.programs.argv.subcommands import split_subcommands

from .credential_printers import SPECIAL_PRINTERS
from .weakened_settings import find_weakened_settings

_REVEALING_OPTIONS = frozenset(
    (
        *("--show-secret", "--show-secrets", "--show-sensitive", "--reveal", "--reveal-secrets", "--show-password"),
        *("--show-passwords", "--show-token", "--show-tokens", "--unmask", "--no-mask", "--show-values", "--with-decryption"),
        *(
            "--expose-token",
            "--show-credentials",
            "--show-keys",
            "--show-plaintext",
            "--no-redact",
            "--show-protected",
            "--showsecret",
        ),
    )
)
_SHOWN_ALWAYS = frozenset(
    (("connection", "string"), ("connection", "info"), ("connection", "uri"), ("variable", "export"), ("acl", "bootstrap"))
)
"""Words that name a command which prints a secret, without a verb."""
_SHOWING_VERBS = frozenset("get show view print read reveal view export cat dump access decrypt fetch display unwrap".split())
_MAKING_VERBS = frozenset("create generate issue new mint rotate reset regenerate roll".split())
_SECRETS = frozenset("password passwords passwd secret token tokens credential credentials creds apikey apikeys keypair".split())
_PRINTED_WHEN_MADE = frozenset("token tokens password apikey apikeys sas".split())
_COMPOUND_SECRETS = frozenset(
    (
        ("auth", "string"),
        ("key", "pair"),
        ("api", "key"),
        ("api", "keys"),
        ("access", "key"),
        ("access", "keys"),
        ("private", "key"),
        ("connection", "string"),
    )
)
_ABOUT_SECRETS = frozenset(
    "last used policy policies info status metadata version versions count names expiry id ids list describe rotation schema scope"
    " scopes type types store stores engine engines provider providers".split()
)
"""Words of commands that tell something about a secret, and not the secret."""
_USED_WHEN_OBTAINED = frozenset(("get-credentials", "get-login", "create-token-file"))
"""Commands that write what they obtain to the program's own configuration."""
_FIELD_OPTIONS = frozenset("--query --format --field --fields --output -o --columns --template --jq -q --show --include".split())
_SECRET_FIELD = re.compile(
    r"(?<![A-Za-z])(?:\w*password|secret(?:_?(?:string|value|key|accesskey))?|(?:access|auth|refresh)?_?token|credentials?|private_?key|"
    r"environment|env|connection_?string|api_?key)(?![A-Za-z])",
    re.IGNORECASE,
)
_NOT_SHOWN = re.compile(r"\[\?[^\]]*\]|(?<=[{,\s])[\w-]+\s*:(?!:)|\b(?:tags|labels)\.[\w-]+", re.IGNORECASE)
"""Matches what a query names and does not show: its condition (`[?tags.env=='dev']`), the names of its columns (`env:`), and
labels, which are no secrets (`tags.env`)."""
_DESCRIBING_VERBS = _SHOWING_VERBS | frozenset("describe list ls inspect".split())
_GIVING_VERBS = frozenset(
    "grant bind attach assign add set create put update allow invite promote enable write modify patch".split()
)
_RIGHTS = frozenset(
    (
        *("role", "roles", "rolebinding", "clusterrolebinding", "policy", "policies", "permission", "permissions", "acl", "acls"),
        *("binding", "bindings", "member", "members", "user", "users", "access", "iam", "tags", "grant", "grants", "group"),
        *("collaborator", "collaborators", "admin", "admins", "token", "invite"),
    )
)
_ADMINISTRATORS = re.compile(
    r"(?<![\w-])(?:administrators?|admin|owner|root|super-?_?(?:user|admin)|cluster-?_?admin|global-management|sys-?admin|accountadmin"
    r"|editor|all-resources|(?:full|all)-?_?access|any-user|all-users|system:(?:anonymous|unauthenticated))(?![\w-])|\"sudo\"|^User:\*$",
    re.IGNORECASE,
)
_REMOTE_COMMAND_OPTIONS = frozenset(
    "--command --commands --script --scripts --ssh-command --startup-script --run-command".split()
)
_PARAMETER_OPTIONS = frozenset("--parameters --metadata".split())
_COMMAND_FIELD = re.compile(r"\"command(?:ToExecute|s?)\"\s*:\s*\[?\s*\"([^\"]{1,2000})\"")
_LOSING_STATEMENT = re.compile(
    r"(?:^|;)\s*(?:(?:(?:drop|truncate)\s+(?:table|database|schema|keyspace|view|index|user|role|owned\s+by)(?:\s+if\s+exists)?"
    r"|delete\s+from|truncate)\s+[^\s;]+\s*(?:;|$|,|where\b|cascade\b)"
    r"|alter\s+(?:table|database|role|user|system)\s+\S+\s+(?:add|drop|alter|rename|set|with|owner|super|disable)"
    r"|update\s+\S+\s+set\s+\w+\s*=)",
    re.IGNORECASE | re.MULTILINE,
)
_PROVIDER_FAMILIES = ("infrastructure.aws", "infrastructure.cloud_providers", "infrastructure.platforms")
_REMOTE_VERBS = frozenset("ssh exec console".split())
_BUYS = re.compile(
    r"\bpurchase(?:-[\w-]+)?\b|\bregister-domain\b|\bregistrations register\b|\bcreate-savings-plan\b|\bcommitments create\b"
    r"|\bcreate-provisioned-model-throughput\b|\bdomains? (?:buy|purchase)\b"
)
"""Matches commands that buy for months or years: reservations, savings plans, domains, capacity."""
_DRY_RUN_OPTIONS = frozenset("--dry-run --dryrun --dry-run=client --dry-run=server --help -h --what-if --check".split())


def find_service_acts(name: str, argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    """Yields the secrets that a service's command prints, and the rights that it gives."""
    texts = {word.text or "" for word in argv[1:]}
    options = {text.partition("=")[0] for text in texts}
    if not _DRY_RUN_OPTIONS.isdisjoint(options | texts):
        return
    commands = split_subcommands(argv)
    if name not in SPECIAL_PRINTERS and _prints_secret(name, argv, commands, options):
        yield Operation("credential.print", context.origin, join_words(argv[1:4]))
    family = FAMILY_OF.get(name)
    if family in _PROVIDER_FAMILIES:
        yield from _find_remote_commands(name, argv, commands, context)
    if (family is None or family in _PROVIDER_FAMILIES) and "--local" not in texts:
        for word in argv[1:] if family is None else (*argv[1:], context.stdin):
            if _LOSING_STATEMENT.search("".join(part for part in word.parts if isinstance(part, str))):
                yield Interpret("sql", word, context.origin, via=Carrier(name, guessed=family is None))
    is_local = is_local_service(family, argv, context)
    yield from find_weakened_settings(family, argv, context, local=is_local)
    if family in _PROVIDER_FAMILIES and _BUYS.search(" ".join(word.text or "" for word in argv[1:6])):
        yield Operation("cloud.delete", context.origin, join_words(argv[:5]), (("dry_run", False), ("buys", True)))
    if not is_local and _gives_administration(argv, commands):
        yield Operation("cloud.delete", context.origin, join_words(argv[1:4]), (("dry_run", False), ("rights", True)))


def is_local_service(family: str | None, argv: tuple[Word, ...], context: ExecutionContext) -> bool:
    """Returns whether the command goes to a cluster of this machine, or to a stand-in for a provider."""
    if family == "infrastructure.aws":
        from .aws import AWS, is_emulated

        return is_emulated(argv[0], AWS.parse(argv), context)
    if family == "infrastructure.clusters":
        from .clusters import KUBECTL, names_local_cluster

        return names_local_cluster(KUBECTL.parse(argv), context)
    return False


def _find_remote_commands(
    name: str, argv: tuple[Word, ...], commands: list[list[str]], context: ExecutionContext
) -> Iterator[Interpret | Run]:
    """Yields what runs on a machine of the service: the value of `--command`, what follows `--` after `ssh` or is on its
    standard input."""
    site = Site(f"ssh:{name}")
    for option, value in () if any(word.text == "d1" for word in argv[:3]) else _list_option_values(argv):
        code = value
        if option not in _REMOTE_COMMAND_OPTIONS:
            _, found, code = value.partition("startup-script=") if option == "--metadata" else value.partition("ommand=")
            if not found or option not in _PARAMETER_OPTIONS:
                continue
        if code.contains(" ") is True:
            yield Interpret("shell", code, context.origin, via=Carrier(name, option), site=site)
    for field in (_COMMAND_FIELD.search(word.text or "") for word in argv[1:]):
        if field is not None:
            yield Interpret("shell", known_word(field[1]), context.origin, via=Carrier(name), site=site)
    is_remote = any(not _REMOTE_VERBS.isdisjoint(parts) for parts in commands)
    if is_remote and context.stdin.parts:
        yield Interpret("shell", context.stdin, context.origin, via=Carrier(name), site=site)
    texts = [word.text for word in argv]
    if "scp" in texts[:3]:
        yield Run(argv[texts.index("scp") :], context.origin, Carrier(name))
    if is_remote and "--" in texts[:-1]:
        rest = argv[texts.index("--") + 1 :]
        yield Interpret("shell", join_words(rest), context.origin, via=Carrier(name, "--"), site=site)


def _prints_secret(name: str, argv: tuple[Word, ...], commands: list[list[str]], options: set[str]) -> bool:
    if not _REVEALING_OPTIONS.isdisjoint(options):
        return True
    words = [part for parts in commands for part in parts]
    verbs = set(words)
    if name.startswith("docker-credential-"):
        return "get" in verbs
    if not _DESCRIBING_VERBS.isdisjoint(verbs) and any(
        _SECRET_FIELD.search(_NOT_SHOWN.sub("", value)) for value in _values_of(_FIELD_OPTIONS, argv)
    ):
        return True
    if not _ABOUT_SECRETS.isdisjoint(verbs) or any("-".join(parts) in _USED_WHEN_OBTAINED for parts in commands):
        return False
    if any(pair in _SHOWN_ALWAYS for pair in pairwise(words)) and name in FAMILY_OF:
        return True
    is_compound = any(pair in _COMPOUND_SECRETS for pair in pairwise(words))
    if (is_compound or not _SECRETS.isdisjoint(verbs)) and not _SHOWING_VERBS.isdisjoint(verbs):
        return True
    return name in FAMILY_OF and _makes_secret(words)


def _makes_secret(words: list[str]) -> bool:
    """Returns whether a verb that makes something stands beside a secret that is shown when it is made."""
    for at, word in enumerate(words):
        beside = words[max(at - 2, 0) : at + 3]
        if word in _MAKING_VERBS and (
            not _PRINTED_WHEN_MADE.isdisjoint(beside) or any(pair in _COMPOUND_SECRETS for pair in pairwise(beside))
        ):
            return True
    return False


def _gives_administration(argv: tuple[Word, ...], commands: list[list[str]]) -> bool:
    """Returns whether a verb gives a right, and an argument names administrators or everybody."""
    words = {part for parts in commands[:3] for part in parts}
    texts = [word.text or "" for word in argv[1:]]
    options = {part for text in texts if text.startswith("-") for part in text.partition("=")[0].strip("-").split("-")}
    options |= {text.partition("=")[0] for text in texts if "=" in text}
    if _GIVING_VERBS.isdisjoint(words | options) or _RIGHTS.isdisjoint(words | options):
        return False
    return any(_ADMINISTRATORS.search(_value_or_flag(text)) for text in texts)


def _value_or_flag(text: str) -> str:
    """Returns the value of an option, or the name of one without a value."""
    if not text.startswith("-"):
        return text
    name, attached, value = text.partition("=")
    return value if attached else name.lstrip("-")


def _values_of(options: frozenset[str], argv: tuple[Word, ...]) -> Iterator[str]:
    return (value.text or "" for option, value in _list_option_values(argv) if option in options)


def _list_option_values(argv: tuple[Word, ...]) -> Iterator[tuple[str, Word]]:
    """Yields each option with what may be its value: the rest of the word, or the next word."""
    for word, following in pairwise((*argv[1:], known_word(""))):
        if word.starts_with("-") is True:
            option, attached, value = word.partition("=")
            yield option.text or "", value if attached else following

"""Changes to what runs in production, by the verbs of command lines and what names production.

Deployment tools share their verbs (`deploy`, `upgrade`, `rollback`, `migrate`), so that these hold for programs that no table
describes, and for a project's own `deploy.sh`. What names production is an argument, an option, a variable or the machine that
the command runs on.
"""

import re
from collections.abc import Iterator
from itertools import pairwise

from toolgate.locality import is_local_context, is_named_production, names_production
from toolgate.model.address import host_of, is_loopback
from toolgate.model.effect import Operation
from toolgate.model.execution_context import ExecutionContext
from toolgate.model.place import LOCAL
from toolgate.model.word import Word, join_words, known_word
from toolgate.programs.argv.options import Flags
from toolgate.programs.argv.subcommands import split_subcommands

from .emulated_providers import leads_to_stand_in
from .inventories import plays_where
from .service_commands import is_local_service

_DEPLOYING = frozenset("deploy redeploy rollout rollback promote migrate ship undeploy".split())
_CHANGING: dict[str, frozenset[str]] = {
    "infrastructure.clusters": frozenset(
        "apply upgrade install replace patch edit set scale sync up create annotate cordon suspend resume reconcile".split()
    ),
    "infrastructure.aws": frozenset("update put modify register start reboot run sync cp mv".split()),
    "infrastructure.cloud_providers": frozenset(
        "add update set patch replace scale restart start import resize cp rsync mv".split()
    ),
    "infrastructure.platforms": frozenset("set add restart scale update publish alias up push run".split()),
    "infrastructure.forges": frozenset(("set",)),
    "infrastructure.fleets": frozenset(("apply",)),
    "databases.frameworks": frozenset("upgrade downgrade up down push update seed".split()),
}
"""Further verbs of programs that manage what runs."""

_READING = frozenset(
    "get list ls describe show view logs log status history diff plan preview check validate lint template search watch wait top"
    " explain version help doctor inspect tail pull fetch events info ps whoami open login auth completion generate make new test"
    " build dev compile package synth".split()
)
_PARENT_COMMANDS = ("deploy", "rollout", "migrate", "release")
"""Verbs that other verbs may follow: `rollout status`, `aws deploy list-deployments`."""

_DEPLOYS_BY_DEFAULT = {"vercel": "--prod", "vc": "--prod", "ansible-playbook": ""}
"""Programs that deploy without a verb, with the option that it takes."""

_CHANGING_MODULES = frozenset(
    "copy template file lineinfile blockinfile replace unarchive synchronize get_url git package apt yum dnf pip npm service systemd"
    " user authorized_key cron mount docker_container docker_compose k8s script".split()
)
"""Modules of Ansible that change the machines that a call of `ansible` names."""
_CONTAINER_VERBS = frozenset("up restart stop start run pull update rm".split())
_MACHINE_OPTIONS = ("--context", "-c", "-H", "--host")
_MACHINE_VARIABLES = ("DOCKER_HOST", "DOCKER_CONTEXT")
_ENVIRONMENT_VARIABLES = (
    *("KUBECONFIG", "AWS_PROFILE", "RAILS_ENV", "MIX_ENV", "APP_ENV", "STAGE", "ENV", "ENVIRONMENT", "DEPLOY_ENV"),
    *(
        "CLOUDSDK_ACTIVE_CONFIG_NAME",
        "DJANGO_SETTINGS_MODULE",
        "DATABASE_URL",
        "PULUMI_STACK",
        "KUBE_CONTEXT",
        "HELM_KUBECONTEXT",
    ),
)
_NAMES_LIVE = re.compile(r"(?:^|[/=@:-])live(?:$|[/.:])").search
_HARMLESS_OPTIONS = frozenset(
    "--dry-run --dryrun --check --diff-only --what-if --preview --plan --noop --help -h --syntax-check --list-hosts --list-tasks"
    " --pretend --no-execute --version --template-only".split()
)
_OUTPUT_OPTIONS = frozenset(("--output", "-o", "--log-file", "--out"))


def find_production_changes(
    name: str, family: str | None, argv: tuple[Word, ...], context: ExecutionContext
) -> Iterator[Operation]:
    """Yields a change to what runs, with whether anything in the call itself names production."""
    if not _is_change(name, family, argv, context):
        return
    texts = [word.outline for word in argv[1:]]
    if any(text.partition("=")[0] in _HARMLESS_OPTIONS and not text.endswith("=none") for text in texts):
        return
    if name == "gsutil" and {"rsync", "-n"} <= set(texts):
        return
    if is_local_service(family, argv, context) or _names_local_target(argv):
        return
    if name in ("terraform", "tofu") and leads_to_stand_in(Flags("-chdir=").parse(argv).value_of("-chdir"), context):
        return
    is_named = _is_production_named(name, family, argv, context)
    yield Operation("production.change", context.origin, join_words(argv[:6]), (("named", is_named),))


def _names_local_target(argv: tuple[Word, ...]) -> bool:
    """Returns whether an option says that the command acts at this machine: its context, or the address that it talks to. What a
    setting or a label is given says nothing of that."""
    for word, following in pairwise((*argv[1:], known_word(""))):
        option, attached, value = word.partition("=")
        given = (value if attached else following).text or ""
        if option.text in _CONTEXT_OPTIONS and is_local_context(given):
            return True
        if _ADDRESS_OPTION(option.text or "") and "://" in given and is_loopback(host_of(given)):
            return True
    return False


_CONTEXT_OPTIONS = ("--context", "--kube-context")
_ADDRESS_OPTION = re.compile(r"--?(?:[a-z]+-)*(?:url|endpoint|server|host|address|addr|api)(?:-url)?").fullmatch
"""Matches an option that holds the address of the service: `--endpoint-url`, `--database-url`, `-url`."""


def find_production_push(name: str, argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[Operation]:  # noqa: ARG001
    """Yields a push to a remote that is named production, which deploys what it gets."""
    texts = [word.text for word in argv]
    if not _is_push(argv) or not {"-n", "--dry-run"}.isdisjoint(texts):
        return
    remotes = (word for word in argv[texts.index("push") + 1 :] if word.starts_with("-") is False)
    if (remote := next(remotes, None)) is not None and _says_production(remote):
        yield Operation("production.change", context.origin, join_words(argv[:6]), (("named", True),))


def _is_push(argv: tuple[Word, ...]) -> bool:
    """Returns whether `push` is the subcommand of git itself, and not that of its stash."""
    operands = (word for before, word in pairwise(argv) if before.text not in ("-C", "-c") and word.starts_with("-") is False)
    return (first := next(operands, None)) is not None and first.text == "push"


def _is_change(name: str, family: str | None, argv: tuple[Word, ...], context: ExecutionContext) -> bool:
    """Returns whether the first verb among the subcommands changes what runs somewhere."""
    verbs = _DEPLOYING | _CHANGING.get(family or "", frozenset())
    if family == "infrastructure.containers" and _targets_production(argv, context):
        verbs |= _CONTAINER_VERBS
    commands = split_subcommands(argv)[:4]
    for n, parts in enumerate(commands):
        following = commands[n + 1] if n + 1 < len(commands) else []
        if not _READING.isdisjoint(parts):
            return False
        if not verbs.isdisjoint(parts):
            return _READING.isdisjoint(following[:1]) or parts[0] not in _PARENT_COMMANDS
    if name == "ansible":
        return any(option.text == "-m" and (module.text or "") in _CHANGING_MODULES for option, module in pairwise(argv))
    if name in _DEPLOYS_BY_DEFAULT:
        option = _DEPLOYS_BY_DEFAULT[name]
        return not option or any(word.text == option for word in argv)
    script = name.rpartition("/")[2].partition(".")[0].lower()
    return family is None and not _DEPLOYING.isdisjoint(re.split(r"[-_]", script))


def _is_production_named(name: str, family: str | None, argv: tuple[Word, ...], context: ExecutionContext) -> bool:
    if context.site.machine != LOCAL and is_named_production(context.site.machine):
        return True
    if any(_says_production(value) for each in _ENVIRONMENT_VARIABLES for value in context.get_variables(each)):
        return True
    if family == "infrastructure.containers" and _targets_production(argv, context):
        return True
    if name == "ansible-playbook" and plays_where(argv, context, _says_production):
        return True
    words = [word for before, word in pairwise(argv) if before.text not in _OUTPUT_OPTIONS]
    if name == "aws" and words[:1] == [known_word("s3")]:
        words = words[-1:]  # what is copied from there is left as it is
    return any(_says_production(word) for word in words if not any(char.isspace() for char in word.outline))


def _targets_production(argv: tuple[Word, ...], context: ExecutionContext) -> bool:
    """Returns whether a client of containers talks to a machine that is named production."""
    given = [word for before, word in pairwise(argv) if before.text in _MACHINE_OPTIONS]
    variables = [value for each in _MACHINE_VARIABLES for value in context.get_variables(each)]
    return any(map(_says_production, (*given, *variables))) or is_named_production(context.site.machine)


def _says_production(word: Word) -> bool:
    return names_production(word) or _NAMES_LIVE(word.outline) is not None

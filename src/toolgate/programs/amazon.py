"""The AWS command line: calls that delete, stop, open or print something. Libraries of other languages use the same names for
calls."""

from collections.abc import Iterator
from itertools import pairwise

from toolgate.locality import is_local_address
from toolgate.model.effect import Interpret, Operation, Prints, Reported, Site
from toolgate.model.seen import Seen
from toolgate.model.word import Word, joined

from .cloud import transferred
from .databases import interpreted
from .options import Flags, Given
from .program import Program, via

AWS = Flags(
    "--profile= --region= --endpoint-url= --output= --query= --debug --no-verify-ssl --no-paginate --no-sign-request --ca-bundle= --cli-read-timeout= --cli-connect-timeout="
    " --color= --no-cli-pager --cli-auto-prompt --no-cli-auto-prompt --cli-binary-format= --dry-run --dryrun --recursive --force --delete --exclude= --include= --quiet"
    " --only-show-errors --generate-cli-skeleton=? --cli-input-json= --cli-input-yaml= --desired-count= --desired-capacity= --min-size= --max-size= --acl= --sse=? --follow-symlinks"
    " --no-progress --storage-class= --content-type= --cache-control= --size-only --exact-timestamps --page-size= --request-payer=? --yes -h,--help --version"
)
_AWS_VERBS = (
    "delete-",
    "admin-delete-",
    "put-bucket-lifecycle",
    "put-lifecycle-policy",
    "batch-delete-",
    "terminate-",
    "remove-",
    "purge-",
    "deregister-",
    "destroy-",
    "schedule-key-deletion",
    "close-account",
    "leave-organization",
    "release-address",
    "release-hosts",
    "dispose-",
    "disable-",
    "stop-logging",
    "stop-configuration-recorder",
)
_AWS_HARMLESS = (
    "delete-tags",
    "remove-tags",
    "remove-tags-from-resource",
    "delete-message",
    "delete-message-batch",
    "remove-tags-from-certificate",
    "delete-bucket-metrics-configuration",
)


_AWS_RIGHTS = (
    "attach-",
    "detach-",
    "put-",
    "add-",
    "create-",
    "update-",
    "set-default-policy-version",
    "upload-",
    "reset-",
    "change-",
    "deactivate-",
)
"""Prefixes of `aws iam` verbs that change permissions."""
_AWS_OPENS = (
    *("put-bucket-policy", "put-bucket-acl", "put-object-acl", "put-public-access-block", "authorize-security-group-"),
    *("put-key-policy", "put-resource-policy", "add-permission", "create-grant"),
)
"""Prefixes of verbs that open access to others, in any service."""
_AWS_MACHINES = ("ec2", "rds", "docdb", "neptune", "lightsail", "workspaces", "redshift")
"""Services whose `stop-` verbs stop a machine; in others they stop a task or a query."""


def aws(argv: tuple[Word, ...], seen: Seen) -> Iterator[Reported]:
    given = AWS.read(argv)
    words = given.operands
    texts = [word.text or "" for word in words]
    if given.flag("--help", "--version", "--generate-cli-skeleton") is True or len(words) < 2 or texts[-1] == "help":
        return
    bad = rights = stops = False
    for start in range(min(len(AWS.read(argv, stop=True).strange), 2) + 1):  # an unknown option may have a value
        service, verb = [*texts[start : start + 2], "", ""][:2]
        if service == "s3":
            bad = (
                verb == "rb"
                or (verb == "rm" and given.flag("--recursive") is True)
                or (verb == "sync" and given.flag("--delete") is True)
            )
        elif service in ("ecs", "autoscaling"):
            bad = any(word.text == "0" for word in given.all("--desired-count", "--desired-capacity"))
        bad = bad or (verb.startswith(_AWS_VERBS) and verb not in _AWS_HARMLESS and service.replace("-", "").isalnum())
        rights = verb.startswith(_AWS_OPENS) or (service == "iam" and verb.startswith(_AWS_RIGHTS))
        stops = service in _AWS_MACHINES and verb.startswith(("stop-", "reboot-", "pause-"))
        if bad or rights or stops:
            break
    if texts[:2] == ["athena", "start-query-execution"] or texts[0] == "redshift-data":
        queries = (value for option, value in pairwise(argv) if option.text in ("--query-string", "--sql"))
        yield from interpreted("sql", [(query, "") for query in queries], None, texts[0], seen)
    if texts[:2] == ["ssm", "send-command"]:
        yield from _sent(argv, seen)
    if texts[:2] == ["route53", "change-resource-record-sets"]:
        bad = any(word.contains("DELETE") is True for word in argv)
    if texts[:2] == ["s3api", "put-bucket-versioning"]:
        bad = any(word.contains("Suspended") is True for word in argv)
    if bad or rights or stops:
        dry = given.flag("--dry-run", "--dryrun")
        local = is_emulated(argv[0], given, seen)
        flags = (("dry_run", dry), ("rights", rights and not bad), ("stops", stops and not bad), ("local", local))
        yield Operation("cloud.delete", seen.origin, joined(words[:3]), flags)
    elif texts[0] == "s3" and texts[1] in ("cp", "mv", "sync") and given.flag("--dryrun") is not True:
        tree = texts[1] == "sync" or given.flag("--recursive") is True
        yield from transferred(words[2:4], seen, remote=("s3://",), moves=texts[1] == "mv", tree=tree)
    yield Prints(seen.output(via(argv)))


def is_emulated(program: Word, given: Given, seen: Seen) -> bool:
    """Tell whether the call goes to an emulator on this machine, such as LocalStack."""
    address = given.value("--endpoint-url")
    if address is None:
        named = list(seen.variables("AWS_ENDPOINT_URL"))
        if not named:
            return program.text == "awslocal"
        address = named[0] if len(named) == 1 else None
    return is_local_address(address, seen)


def _sent(argv: tuple[Word, ...], seen: Seen) -> Iterator[Reported]:
    """`ssm send-command --parameters commands=CODE` runs code on the named machines."""
    for option, value in pairwise(argv):
        name, _, code = value.partition("=")
        if option.text == "--parameters" and name.text == "commands":
            yield Interpret("shell", code, seen.origin, via="aws ssm send-command", site=Site("ssh:aws"))


ROWS: dict[str, Program] = dict.fromkeys(("aws", "awslocal"), Program(does=aws))

"""The AWS command line: calls that delete, stop, open or print something. Libraries of other languages use the same names for
calls."""

from collections.abc import Iterator
from itertools import pairwise

from toolgate.locality import is_local_address
from toolgate.model.effect import Carrier, Connect, Interpret, Operation, PrintedOutput, Read, ReportedEffect, Site
from toolgate.model.execution_context import ExecutionContext
from toolgate.model.word import Word, join_words
from toolgate.programs.argv.options import Flags, ParsedOptions
from toolgate.programs.argv.program import Program, program_name
from toolgate.programs.databases.clients import interpret_codes

from .cloud_providers import transfer_object

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
    "transfer-domain-",
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


_IAM_CHANGE_PREFIXES = (
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
_AWS_OPENING_PREFIXES = (
    *("put-bucket-policy", "put-bucket-acl", "put-object-acl", "authorize-security-group-"),
    *("put-key-policy", "put-resource-policy", "add-permission", "create-grant"),
)
"""Prefixes of verbs that open access to others, in any service."""
_AWS_MACHINES = ("ec2", "rds", "docdb", "neptune", "lightsail", "workspaces", "redshift")
"""Services whose `stop-` verbs stop a machine; in others they stop a task or a query."""


def aws(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    options = AWS.parse(argv)
    words = options.operands
    texts = [word.text or "" for word in words]
    if options.has_flag("--help", "--version", "--generate-cli-skeleton") is True or len(words) < 2 or texts[-1] == "help":
        return
    for word in argv[1:]:
        if word.starts_with("file://") is True or word.starts_with("fileb://") is True:
            yield Read(context.resolve_place(word.partition("://")[2]), context.origin)
    bad = rights = stops = False
    for start in range(min(len(AWS.parse(argv, stop=True).strange), 2) + 1):  # an unknown option may have a value
        service, verb = [*texts[start : start + 2], "", ""][:2]
        if service == "s3":
            bad = (
                verb == "rb"
                or (verb == "mv" and options.has_flag("--recursive") is True and _is_bucket(texts[start + 2 : start + 3]))
                or (verb == "rm" and options.has_flag("--recursive") is True)
                or (verb == "sync" and options.has_flag("--delete") is True)
            )
        harmless = verb in _AWS_HARMLESS or (verb == "delete-item" and _names_one_item(argv))
        bad = bad or (verb.startswith(_AWS_VERBS) and not harmless and service.replace("-", "").isalnum())
        rights = verb.startswith(_AWS_OPENING_PREFIXES) or (service == "iam" and verb.startswith(_IAM_CHANGE_PREFIXES))
        stops = service in _AWS_MACHINES and verb.startswith(("stop-", "reboot-", "pause-"))
        if bad or rights or stops:
            break
    if texts[:2] == ["athena", "start-query-execution"] or texts[0] == "redshift-data":
        queries = (value for option, value in pairwise(argv) if option.text in ("--query-string", "--sql"))
        yield from interpret_codes("sql", [(query, "") for query in queries], None, texts[0], context)
    if texts[:2] == ["ssm", "send-command"]:
        yield from _ssm_send_command(argv, context)
    if texts[:2] == ["route53", "change-resource-record-sets"]:
        bad = _changes_records(argv, context)
    if bad or rights or stops:
        dry = options.has_flag("--dry-run", "--dryrun")
        local = is_emulated(argv[0], options, context)
        flags = (("dry_run", dry), ("rights", rights and not bad), ("stops", stops and not bad), ("local", local))
        yield Operation("cloud.delete", context.origin, join_words(words[:3]), flags)
    elif texts[0] == "s3" and texts[1] in ("cp", "mv", "sync") and options.has_flag("--dryrun") is not True:
        yield from _transfer_objects(options, context)
    yield PrintedOutput(context.unknown_output(program_name(argv)))


def _changes_records(argv: tuple[Word, ...], context: ExecutionContext) -> bool:
    """Returns whether a change of DNS records does more than add some: what is not known may."""
    named = [value for option, value in pairwise(argv) if option.text in ("--change-batch", "--cli-input-json")]
    files = [value.drop_first(len("file://")) for value in named if value.starts_with("file://") is True]
    documents = [text for file in files for text in context.read_alternatives(file)] if files else named
    is_known = bool(documents) and all(text.text is not None for text in documents)
    return not is_known or any(text.contains(change) is True for text in documents for change in ("DELETE", "UPSERT"))


def _transfer_objects(options: ParsedOptions, context: ExecutionContext) -> Iterator[ReportedEffect]:
    """`aws s3 cp|mv|sync SOURCE TARGET`, to Amazon or to the service of `--endpoint-url`."""
    verb, endpoint = options.operands[1].text, options.value_of("--endpoint-url")
    tree = verb == "sync" or options.has_flag("--recursive") is True
    for effect in transfer_object(options.operands[2:4], context, remote=("s3://",), moves=verb == "mv", tree=tree):
        yield effect._replace(target=endpoint) if isinstance(effect, Connect) and endpoint is not None else effect


def _names_one_item(argv: tuple[Word, ...]) -> bool:
    """Returns whether the key of an item of a table is known: an application deletes single ones daily."""
    return any(option.text == "--key" and value.text is not None for option, value in pairwise(argv))


def _is_bucket(words: list[str]) -> bool:
    return any(word.startswith("s3://") for word in words)


def is_emulated(program: Word, options: ParsedOptions, context: ExecutionContext) -> bool:
    """Returns whether the call goes to an emulator on this machine, such as LocalStack."""
    address = options.value_of("--endpoint-url")
    if address is None:
        service = (options.operands[0].text or "").upper() if options.operands else ""
        named = list(context.get_variables(f"AWS_ENDPOINT_URL_{service}") or context.get_variables("AWS_ENDPOINT_URL"))
        if not named:
            return program.text == "awslocal"
        address = named[0] if len(named) == 1 else None
    return is_local_address(address, context)


def _ssm_send_command(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    """`ssm send-command --parameters commands=CODE` runs code on the named machines."""
    for option, value in pairwise(argv):
        name, _, code = value.partition("=")
        if option.text == "--parameters" and name.text == "commands":
            yield Interpret("shell", code, context.origin, via=Carrier("aws", "ssm send-command"), site=Site("ssh:aws"))


ROWS: dict[str, Program] = dict.fromkeys(("aws", "awslocal"), Program(does=aws))

"""Cloud providers, and services with plain verbs: commands that delete, stop or open something there."""

from collections.abc import Iterator
from itertools import pairwise

from toolgate.locality import names_azure_emulator
from toolgate.model.address import all_lead_here
from toolgate.model.effect import Carrier, Connect, Delete, Interpret, Operation, PrintedOutput, Read, ReportedEffect, Site, Write
from toolgate.model.execution_context import ExecutionContext
from toolgate.model.word import Word, is_glob, join_words, known_word
from toolgate.programs.argv.options import Flags
from toolgate.programs.argv.program import Program, program_name
from toolgate.programs.argv.subcommands import program_of_forms, provider_change_handler
from toolgate.programs.files.coreutils import possible_destinations

from .fleets import add_remote_shell

_DELETE_OPERATION = "cloud.delete"


def deletion_forms(forms: str, options: str = "", *, dry: str = "--dry-run=? --dryrun") -> Program:
    return program_of_forms({_DELETE_OPERATION: forms}, options, dry=dry)


def transfer_object(
    words: list[Word], context: ExecutionContext, *, remote: tuple[str, ...], moves: bool = False, tree: bool = False
) -> Iterator[ReportedEffect]:
    """Transfers files to or from an object store. `tree`: folders with everything in them."""
    if len(words) != 2:
        return
    source, target = words
    here = [word for word in words if not word.head.startswith(remote) and word.text != "-"]
    if source.text == "-" and target not in here:
        yield Connect(target, context.origin, sends=context.stdin)
    elif source in here:
        yield Read(context.resolve_place(source), context.origin, tree)
        if moves:
            yield Delete(context.resolve_place(source, follow=False), True, context.origin)
        if target not in here:
            yield Connect(target, context.origin, sends=context.read(source))
    else:
        yield Connect(source, context.origin)
        if target in here:
            content = context.unknown_output(f"the content of {source.display_text}")
            for file in possible_destinations(source, target, several=False, context=context):
                yield Write(context.resolve_place(file), content, None, context.origin)
            if tree:
                context.record_folder_contents(target, content)


# ---- Google, Azure

GCLOUD = Flags(
    "--project= --zone= --region= --account= --format= --filter= -q,--quiet --verbosity= --configuration= --impersonate-service-account= --async --command= --location= --cluster="
    " --network= --instance= -r,-R,--recursive -a,--all-versions --delete-unmatched-destination-objects --dry-run --global --keep-disks= --delete-disks= --version= --service="
    " --ssh-flag= --tunnel-through-iap --internal-ip --continue-on-error -m -h,--help"
)
_GCLOUD_CHANGES = provider_change_handler(
    rights="** add-iam-policy-binding|remove-iam-policy-binding|set-iam-policy; iam service-accounts keys create; iam roles create|update;"
    " compute firewall-rules create|update",
    stops="compute|sql instances stop|suspend|reset; workstations stop",
)
_GCLOUD_HARMLESS = ("config", "auth", "components", "info", "topic", "feedback", "init", "help")


def gcloud(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    options = GCLOUD.parse(argv)
    texts = [word.text or "" for word in options.operands]
    if options.has_flag("--help") is True or not texts or "help" in (texts[0], texts[-1]):
        return
    if texts[0] in _GCLOUD_HARMLESS:
        yield PrintedOutput(context.unknown_output(program_name(argv)))
        return
    if texts[:2] == ["compute", "ssh"]:
        host = options.operands[2].display_text if len(options.operands) > 2 else "?"
        for code in options.values_of("--command"):
            yield Interpret("shell", code, context.origin, via=Carrier("gcloud", "compute ssh"), site=Site(f"ssh:{host}"))
    verbs = [
        n for n, text in enumerate(texts[:7]) if n and text in ("delete", "destroy", "purge", "disable", "unlink", "undeploy")
    ]
    if "storage" in texts[:2]:
        bad = ("rm" in texts[:3] and options.has_flag("--recursive") is True) or "delete" in texts[1:4]
        bad = bad or options.has_flag("--delete-unmatched-destination-objects") is True
    else:
        groups = texts[: verbs[0]] if verbs else []
        bad = (
            bool(verbs)
            and all(is_command_group(text) for text in groups)
            and (texts[verbs[0]] != "disable" or groups[-1] in ("services", "versions"))
        )
    if bad:
        yield Operation(
            "cloud.delete", context.origin, join_words(options.operands[:6]), (("dry_run", options.has_flag("--dry-run")),)
        )
    elif texts[:2] == ["storage", "cat"]:
        yield from (Connect(word, context.origin) for word in options.operands[2:])
    elif texts[:2] in (["storage", "cp"], ["storage", "mv"]):
        yield from transfer_object(
            options.operands[2:4],
            context,
            remote=("gs://", "s3://"),
            moves=texts[1] == "mv",
            tree=options.has_flag("--recursive") is True,
        )
    yield from _GCLOUD_CHANGES(argv, context)
    yield PrintedOutput(context.unknown_output(program_name(argv)))


_HARMLESS_VERBS = frozenset(
    "describe list show get create update ssh scp start stop add set tail read export import deploy add-iam-policy-"
    " binding cp mv ls cat".split()
)


def is_command_group(text: str) -> bool:
    """Returns whether a word looks like a group of commands (`compute`, `node-pools`)."""
    return text.replace("-", "").isalnum() and text == text.lower() and text not in _HARMLESS_VERBS


GSUTIL = Flags("-m -q -D -d -h= -o= -u= -i= -r,-R -n -c -e -p -a -f -I -J -j= -z= -Z -x= -P -U -v -C -L= -s= -l= -b= --help")


_GSUTIL_CHANGES = provider_change_handler(rights="iam|acl|defacl ch|set")
_GSUTIL_SETTINGS = ("lifecycle", "retention", "versioning")


def _selects_all_below(url: Word) -> bool:
    """Returns whether a URL contains `**`, whether or not a shell sees a glob in it."""
    return any("**" in (part if isinstance(part, str) else part.like if is_glob(part) else "") for part in url.parts)


def gsutil(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    options = GSUTIL.parse(argv)
    texts = [word.text or "" for word in options.operands]
    verb = texts[0] if texts else ""
    recursive = options.has_flag("-R") is True or any(map(_selects_all_below, options.operands[1:]))
    if (
        (verb == "rm" and recursive)
        or verb == "rb"
        or (verb in _GSUTIL_SETTINGS and texts[1] != "get")
        or (verb == "rsync" and options.has_flag("-d") is True)
    ):
        yield Operation(
            "cloud.delete",
            context.origin,
            join_words(options.operands[:3]),
            (("dry_run", options.has_flag("-n") if verb == "rsync" else False),),
        )
    elif verb in ("iam", "acl", "defacl"):
        yield from _GSUTIL_CHANGES(argv, context)
    elif verb == "cat":
        yield from (Connect(word, context.origin) for word in options.operands[1:])
    elif verb in ("cp", "mv", "rsync"):
        yield from transfer_object(
            options.operands[1:3], context, remote=("gs://", "s3://"), moves=verb == "mv", tree=options.has_flag("-R") is True
        )
    yield PrintedOutput(context.unknown_output(program_name(argv)))


AZ = Flags(
    "-g,--resource-group= -n,--name= -o,--output= --query= --subscription= --ids= -y,--yes --no-wait --debug --verbose --only-show-errors --account-name= --account-key="
    " -c,--container-name= -s,--source= --pattern= --vault-name= -l,--location= --server= --dryrun --what-if -h,--help --id= --mode= --scope= --auth-mode= -f,--file="
)
_AZ_CHANGES = provider_change_handler(
    rights="role assignment create|delete; role definition create|update; ad sp create-for-rbac; ad group member|owner add|remove; ad app permission grant|admin-consent; keyvault set-policy;"
    " network nsg rule create|update; storage container set-permission; storage account keys renew",
    stops="vm|vmss|aks|webapp|functionapp|containerapp stop|deallocate; * flexible-server stop",
)
_AZ_HARMLESS = ("config", "account", "cache", "extension", "alias", "find", "help", "version", "tag", "login", "logout")


def az(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    options = AZ.parse(argv)
    texts = [word.text or "" for word in options.operands]
    if options.has_flag("--help") is True or not texts or any(names_azure_emulator(word.outline) for word in argv[1:]):
        return
    if texts[0] in _AZ_HARMLESS:
        yield PrintedOutput(context.unknown_output(program_name(argv)))
        return
    for n, text in enumerate(texts[:6]):
        if (
            n
            and text in ("delete", "purge", "delete-batch", "delete-all", "remove-all", "destroy")
            and all(is_command_group(group) for group in texts[:n])
        ):
            yield Operation(
                "cloud.delete",
                context.origin,
                join_words(options.operands[: n + 1]),
                (("dry_run", options.has_flag("--dryrun", "--what-if")),),
            )
            break
    if texts[:3] in (["storage", "blob", "upload"], ["storage", "blob", "upload-batch"]):
        for file in options.values_of("--file", "--source"):
            yield Read(context.resolve_place(file), context.origin, texts[2] == "upload-batch")
            yield Connect(known_word("blob.core.windows.net"), context.origin, sends=context.read(file))
    if texts[:3] == ["storage", "blob", "download"]:
        got = context.unknown_output("the content of the blob")
        yield Connect(options.value_of("--name") or known_word("a blob"), context.origin)
        yield from (Write(context.resolve_place(file), got, None, context.origin) for file in options.values_of("--file"))
    if texts[:2] == ["backup", "protection"] and any(
        option.text == "--delete-backup-data" and value.is_any_of("false", "n", "no") is not True
        for option, value in pairwise(argv)
    ):
        yield Operation("cloud.delete", context.origin, known_word("backup protection disable"), (("dry_run", False),))
    if texts[:1] == ["deployment"] and any(word.text == "Complete" for word in options.values_of("--mode")):
        yield Operation(
            "cloud.delete", context.origin, known_word("deployment --mode Complete"), (("dry_run", "what-if" in texts),)
        )
    yield from _AZ_CHANGES(argv, context)
    yield PrintedOutput(context.unknown_output(program_name(argv)))


_ANY_DELETION = "delete|destroy|rm|remove|purge|terminate **; * delete|destroy|rm|remove|purge|terminate; * * delete|destroy|rm|remove|purge|terminate; * * * delete|destroy|rm; * *-delete; * * *-delete; *:remove; *:delete; *:destroy; * * schedule-deletion; * * * schedule-deletion"
_PLAIN_VERB_PROGRAMS = (
    "planetscale twilio auth0 render prlctl chalice apigeecli newrelic sentry-cli datadog-ci flarectl"
    " doppler-cli buildkite logcli grafana-cli tea"
)
"""Command lines of services that name their actions with plain verbs."""
_RCLONE = deletion_forms(
    "purge|delete|deletefile|rmdirs|cleanup|dedupe; sync; bisync --resync",
    "--resync -n,--dry-run --config= --transfers= -P,--progress -v,--verbose --include= --exclude= --min-age= --max-age=",
    dry="-n,--dry-run",
)


def rclone(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    """`name:path` is a remote."""
    operands = [word for word in argv[1:] if word.starts_with("-") is not True]
    if len(operands) > 1 and operands[0].text == "link":
        yield Operation("network.expose", context.origin, operands[1])
    if len(operands) > 2 and operands[0].text in ("copy", "copyto", "move", "moveto", "sync"):
        elsewhere = tuple(
            word.head.partition(":")[0] + ":"
            for word in operands[1:3]
            if ":" in word.head and "/" not in word.head.partition(":")[0]
        )
        if elsewhere:
            yield from transfer_object(operands[1:3], context, remote=elsewhere, tree=True)
    yield from _RCLONE.effects_of_call(argv, context)


def minio(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    """MinIO's client."""
    places = [word for word in argv[2:] if word.contains("/") is True]
    if places and all(_is_local_alias(place, context) for place in places):
        return
    yield from _MINIO.effects_of_call(argv, context)


def _is_local_alias(place: Word, context: ExecutionContext) -> bool:
    """Returns whether the alias before the bucket stands for a server of this machine: `local` does from the start, others by
    their variable, `MC_HOST_it=http://key:secret@127.0.0.1:9000`."""
    alias, slash, _ = place.head.partition("/")
    addresses = context.get_variables(f"MC_HOST_{alias}") if slash else ()
    return all_lead_here([address.text or "" for address in addresses]) if addresses else bool(slash) and alias == "local"


_MINIO = deletion_forms(
    "rb; rm --recursive|-r; admin user|policy|group remove|rm; mirror --remove; ilm rm; ilm rule rm; replicate rm; version suspend; admin service stop",
    "-r,--recursive --force --dangerous --remove",
)
ROWS: dict[str, Program] = {
    "gcloud": Program(does=gcloud),
    "gsutil": Program(does=gsutil),
    "az": Program(does=az),
    "doctl": add_remote_shell(
        deletion_forms(
            "* delete|d|rm|del; * * delete|d|rm|del; * * * delete|d|rm|del",
            "-t,--access-token= -c,--config= --context= -o,--output= -f,--force --format=",
        ),
        "--ssh-command",
    ),
    **dict.fromkeys(
        (
            "linode-cli",
            "scw",
            "vultr-cli",
            "exo",
            "civo",
            "oci",
            "ibmcloud",
            "openstack",
            "upctl",
            "neonctl",
            "neon",
            "pscale",
            "turso",
            *_PLAIN_VERB_PROGRAMS.split(),
        ),
        deletion_forms(f"{_ANY_DELETION}; * rebuild|reinstall"),
    ),
    **dict.fromkeys(
        ("aliyun", "tccli", "hwcloud", "bce"),
        deletion_forms(
            "* Delete*|Release*|Remove*|Terminate*|Destroy*|Drop*|Purge*|Stop*; oss rm|rb; rm|rb",
            "--region= -r,--recursive -f,--force",
        ),
    ),
    "hcloud": deletion_forms(
        "* delete|remove-*|delete-*|detach*; server rebuild|poweroff|reset|reset-password; * disable-protection",
        "-o,--output= --image=",
    ),
    **dict.fromkeys(("jf", "jfrog"), deletion_forms(f"{_ANY_DELETION}; rt del")),
    "ldcli": deletion_forms(f"{_ANY_DELETION}; flags archive"),
    "circleci": deletion_forms(f"{_ANY_DELETION}; * remove-*; orb unlist"),
    "dog": deletion_forms("* delete", "--api-key= --application-key="),
    "amtool": deletion_forms("silence expire", "--alertmanager.url="),
    "kong": deletion_forms("stop|quit; migrations reset", "-c,--conf= -y,--yes -p,--prefix="),
    "algolia": deletion_forms(f"{_ANY_DELETION}; * clear"),
    "stripe": deletion_forms(
        f"{_ANY_DELETION}; * cancel|void|void_*|close|reverse; refunds|payouts|transfers|charges create; api_keys roll"
    ),
    "splunk": deletion_forms(f"{_ANY_DELETION}; clean **; disable *", "-f -index= -auth="),
    "deck": deletion_forms(
        "gateway reset|sync; reset; sync", "-s,--state= -f,--force --kong-addr= --select-tag= -w,--workspace= --konnect-token="
    ),
    "fastly": deletion_forms(
        "* delete|remove|disable; * * delete|remove; purge --all",
        "-s,--service-id= -t,--token= --all -k,--key= --version= --name=",
    ),
    "b2": deletion_forms(
        "delete-bucket|delete-file-version|rm|delete-key; bucket|file|key delete; sync --delete", "--recursive -r --delete"
    ),
    "azcopy": deletion_forms("remove|rm; sync --delete-destination=true", "--recursive=? --delete-destination="),
    "databricks": deletion_forms(
        f"{_ANY_DELETION}; fs rm -r; fs rm --recursive; workspace delete; clusters|jobs permanent-delete",
        "-r,--recursive --profile=",
    ),
    **dict.fromkeys(
        ("s3cmd", "s4cmd"),
        deletion_forms(
            "del|rm|rb; sync --delete-removed", "-r,--recursive -f,--force -n,--dry-run -c,--config=", dry="-n,--dry-run"
        ),
    ),
    "s5cmd": deletion_forms("rm|rb; sync --delete", "--endpoint-url= --profile= --no-sign-request"),
    "rclone": Program(does=rclone),
    "mc": Program(does=minio),
}

"""Cloud providers, and services with plain verbs: commands that delete, stop or open something there."""

from collections.abc import Iterator
from itertools import pairwise

from toolgate.model.effect import Connect, Delete, Interpret, Operation, Prints, Read, Reported, Site, Write
from toolgate.model.seen import Seen
from toolgate.model.word import Word, joined, known

from .coreutils import destinations
from .options import Flags
from .program import Program, via
from .verbs import changes_at_provider, tool

_CLOUD = "cloud.delete"


def deletes(forms: str, options: str = "", *, dry: str = "--dry-run=? --dryrun") -> Program:
    return tool({_CLOUD: forms}, options, dry=dry)


def transferred(
    words: list[Word], seen: Seen, *, remote: tuple[str, ...], moves: bool = False, tree: bool = False
) -> Iterator[Reported]:
    """Transfer files to or from an object store. `tree`: folders with everything in them."""
    if len(words) != 2:
        return
    source, target = words
    here = [word for word in words if not word.head.startswith(remote) and word.text != "-"]
    if source in here:
        yield Read(seen.place(source), seen.origin, tree)
        if moves:
            yield Delete(seen.place(source, follow=False), True, seen.origin)
        if target not in here:
            yield Connect(target, seen.origin, sends=seen.read(source))
    else:
        yield Connect(source, seen.origin)
        if target in here:
            for file in destinations(source, target, several=False, seen=seen):
                yield Write(seen.place(file), seen.output(f"what {source.shown} holds"), None, seen.origin)


# ---- Google, Azure

GCLOUD = Flags(
    "--project= --zone= --region= --account= --format= --filter= -q,--quiet --verbosity= --configuration= --impersonate-service-account= --async --command= --location= --cluster="
    " --network= --instance= -r,-R,--recursive -a,--all-versions --delete-unmatched-destination-objects --dry-run --global --keep-disks= --delete-disks= --version= --service="
    " --ssh-flag= --tunnel-through-iap --internal-ip --continue-on-error -m -h,--help"
)
_GCLOUD_CHANGES = changes_at_provider(
    rights="** add-iam-policy-binding|remove-iam-policy-binding|set-iam-policy; iam service-accounts keys create; iam roles create|update;"
    " compute firewall-rules create|update",
    stops="compute|sql instances stop|suspend|reset; workstations stop",
)
_GCLOUD_HARMLESS = ("config", "auth", "components", "info", "topic", "feedback", "init", "help")


def gcloud(argv: tuple[Word, ...], seen: Seen) -> Iterator[Reported]:
    given = GCLOUD.read(argv)
    texts = [word.text or "" for word in given.operands]
    if given.flag("--help") is True or not texts or "help" in (texts[0], texts[-1]):
        return
    if texts[0] in _GCLOUD_HARMLESS:
        yield Prints(seen.output(via(argv)))
        return
    if texts[:2] == ["compute", "ssh"]:
        host = given.operands[2].shown if len(given.operands) > 2 else "?"
        for code in given.all("--command"):
            yield Interpret("shell", code, seen.origin, via="gcloud compute ssh", site=Site(f"ssh:{host}"))
    verbs = [
        n for n, text in enumerate(texts[:7]) if n and text in ("delete", "destroy", "purge", "disable", "unlink", "undeploy")
    ]
    if "storage" in texts[:2]:
        bad = ("rm" in texts[:3] and given.flag("--recursive") is True) or "delete" in texts[1:4]
        bad = bad or given.flag("--delete-unmatched-destination-objects") is True
    else:
        groups = texts[: verbs[0]] if verbs else []
        bad = (
            bool(verbs)
            and all(is_group(text) for text in groups)
            and (texts[verbs[0]] != "disable" or groups[-1] in ("services", "versions"))
        )
    if bad:
        yield Operation("cloud.delete", seen.origin, joined(given.operands[:6]), (("dry_run", given.flag("--dry-run")),))
    elif texts[:2] == ["storage", "cat"]:
        yield from (Connect(word, seen.origin) for word in given.operands[2:])
    elif texts[:2] in (["storage", "cp"], ["storage", "mv"]):
        yield from transferred(
            given.operands[2:4], seen, remote=("gs://", "s3://"), moves=texts[1] == "mv", tree=given.flag("--recursive") is True
        )
    yield from _GCLOUD_CHANGES(argv, seen)
    yield Prints(seen.output(via(argv)))


_OTHER_VERBS = frozenset(
    "describe list show get create update ssh scp start stop add set tail read export import deploy add-iam-policy-"
    " binding cp mv ls cat".split()
)


def is_group(text: str) -> bool:
    """Tell whether a word looks like a group of commands (`compute`, `node-pools`)."""
    return text.replace("-", "").isalnum() and text == text.lower() and text not in _OTHER_VERBS


GSUTIL = Flags("-m -q -D -d -h= -o= -u= -i= -r,-R -n -c -e -p -a -f -I -J -j= -z= -Z -x= -P -U -v -C -L= -s= -l= -b= --help")


_GSUTIL_CHANGES = changes_at_provider(rights="iam|acl|defacl ch|set")
_GSUTIL_SETS = ("lifecycle", "retention", "versioning")


def gsutil(argv: tuple[Word, ...], seen: Seen) -> Iterator[Reported]:
    given = GSUTIL.read(argv)
    texts = [word.text or "" for word in given.operands]
    verb = texts[0] if texts else ""
    recursive = given.flag("-R") is True or any("**" in word.shown for word in given.operands[1:])
    if (
        (verb == "rm" and recursive)
        or verb == "rb"
        or (verb in _GSUTIL_SETS and texts[1] != "get")
        or (verb == "rsync" and given.flag("-d") is True)
    ):
        yield Operation(
            "cloud.delete",
            seen.origin,
            joined(given.operands[:3]),
            (("dry_run", given.flag("-n") if verb == "rsync" else False),),
        )
    elif verb in ("iam", "acl", "defacl"):
        yield from _GSUTIL_CHANGES(argv, seen)
    elif verb == "cat":
        yield from (Connect(word, seen.origin) for word in given.operands[1:])
    elif verb in ("cp", "mv", "rsync"):
        yield from transferred(
            given.operands[1:3], seen, remote=("gs://", "s3://"), moves=verb == "mv", tree=given.flag("-R") is True
        )
    yield Prints(seen.output(via(argv)))


AZ = Flags(
    "-g,--resource-group= -n,--name= -o,--output= --query= --subscription= --ids= -y,--yes --no-wait --debug --verbose --only-show-errors --account-name= --account-key="
    " -c,--container-name= -s,--source= --pattern= --vault-name= -l,--location= --server= --dryrun --what-if -h,--help --id= --mode= --scope= --auth-mode= -f,--file="
)
_AZ_CHANGES = changes_at_provider(
    rights="role assignment create|delete; role definition create|update; ad sp create-for-rbac; ad group member|owner add|remove; ad app permission grant|admin-consent; keyvault set-policy;"
    " network nsg rule create|update; storage container set-permission; storage account keys renew",
    stops="vm|vmss|aks|webapp|functionapp|containerapp stop|deallocate; * flexible-server stop",
)
_AZ_HARMLESS = ("config", "account", "cache", "extension", "alias", "find", "help", "version", "tag", "login", "logout")


def az(argv: tuple[Word, ...], seen: Seen) -> Iterator[Reported]:
    given = AZ.read(argv)
    texts = [word.text or "" for word in given.operands]
    if given.flag("--help") is True or not texts:
        return
    if texts[0] in _AZ_HARMLESS:
        yield Prints(seen.output(via(argv)))
        return
    for n, text in enumerate(texts[:6]):
        if (
            n
            and text in ("delete", "purge", "delete-batch", "delete-all", "remove-all", "destroy")
            and all(is_group(group) for group in texts[:n])
        ):
            yield Operation(
                "cloud.delete", seen.origin, joined(given.operands[: n + 1]), (("dry_run", given.flag("--dryrun", "--what-if")),)
            )
            break
    if texts[:3] == ["storage", "blob", "download"]:
        got = seen.output("what the blob holds")
        yield Connect(given.value("--name") or known("a blob"), seen.origin)
        yield from (Write(seen.place(file), got, None, seen.origin) for file in given.all("--file"))
    if texts[:2] == ["backup", "protection"] and any(
        option.text == "--delete-backup-data" and value.equals("false", "n", "no") is not True for option, value in pairwise(argv)
    ):
        yield Operation("cloud.delete", seen.origin, known("backup protection disable"), (("dry_run", False),))
    if texts[:1] == ["deployment"] and any(word.text == "Complete" for word in given.all("--mode")):
        yield Operation("cloud.delete", seen.origin, known("deployment --mode Complete"), (("dry_run", "what-if" in texts),))
    yield from _AZ_CHANGES(argv, seen)
    yield Prints(seen.output(via(argv)))


_ANY = "delete|destroy|rm|remove|purge|terminate **; * delete|destroy|rm|remove|purge|terminate; * * delete|destroy|rm|remove|purge|terminate; * * * delete|destroy|rm; * *-delete; * * *-delete; *:remove; *:delete; *:destroy"
_BY_VERB = (
    "planetscale twilio auth0 render prlctl chalice apigeecli newrelic sentry-cli datadog-ci flarectl"
    " doppler-cli buildkite logcli grafana-cli jfrog jf tea"
)
"""Command lines of services that name their actions with plain verbs."""
_RCLONE = deletes(
    "purge|delete|deletefile|rmdirs|cleanup|dedupe; sync; bisync --resync",
    "--resync -n,--dry-run --config= --transfers= -P,--progress -v,--verbose --include= --exclude= --min-age= --max-age=",
    dry="-n,--dry-run",
)


def rclone(argv: tuple[Word, ...], seen: Seen) -> Iterator[Reported]:
    """`name:path` is a remote."""
    operands = [word for word in argv[1:] if word.starts("-") is not True]
    if len(operands) > 2 and operands[0].text in ("copy", "copyto", "move", "moveto", "sync"):
        elsewhere = tuple(
            word.head.partition(":")[0] + ":"
            for word in operands[1:3]
            if ":" in word.head and "/" not in word.head.partition(":")[0]
        )
        if elsewhere:
            yield from transferred(operands[1:3], seen, remote=elsewhere, tree=True)
    yield from _RCLONE.effects(argv, seen)


ROWS: dict[str, Program] = {
    "gcloud": Program(does=gcloud),
    "gsutil": Program(does=gsutil),
    "az": Program(does=az),
    "doctl": deletes(
        "* delete|d|rm|del; * * delete|d|rm|del; * * * delete|d|rm|del",
        "-t,--access-token= -c,--config= --context= -o,--output= -f,--force --format=",
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
            *_BY_VERB.split(),
        ),
        deletes(_ANY),
    ),
    **dict.fromkeys(
        ("aliyun", "tccli", "hwcloud", "bce"),
        deletes(
            "* Delete*|Release*|Remove*|Terminate*|Destroy*|Drop*|Purge*|Stop*; oss rm|rb; rm|rb",
            "--region= -r,--recursive -f,--force",
        ),
    ),
    "hcloud": deletes(f"{_ANY}; server rebuild|poweroff|reset|reset-password; * disable-protection", "-o,--output= --image="),
    "ldcli": deletes(f"{_ANY}; flags archive"),
    "circleci": deletes(f"{_ANY}; * remove-*; orb unlist"),
    "dog": deletes("* delete", "--api-key= --application-key="),
    "amtool": deletes("silence expire", "--alertmanager.url="),
    "kong": deletes("stop|quit; migrations reset", "-c,--conf= -y,--yes -p,--prefix="),
    "algolia": deletes(f"{_ANY}; * clear"),
    "stripe": deletes(f"{_ANY}; * cancel|void|void_*|close|reverse; refunds create; api_keys roll"),
    "splunk": deletes(f"{_ANY}; clean **; disable *", "-f -index= -auth="),
    "deck": deletes(
        "gateway reset|sync; reset; sync", "-s,--state= -f,--force --kong-addr= --select-tag= -w,--workspace= --konnect-token="
    ),
    "fastly": deletes(
        "* delete|remove|disable; * * delete|remove; purge --all",
        "-s,--service-id= -t,--token= --all -k,--key= --version= --name=",
    ),
    "b2": deletes(
        "delete-bucket|delete-file-version|rm|delete-key; bucket|file|key delete; sync --delete", "--recursive -r --delete"
    ),
    "azcopy": deletes("remove|rm; sync --delete-destination=true", "--recursive=? --delete-destination="),
    "databricks": deletes(
        f"{_ANY}; fs rm -r; fs rm --recursive; workspace delete; clusters|jobs permanent-delete", "-r,--recursive --profile="
    ),
    **dict.fromkeys(
        ("s3cmd", "s4cmd"),
        deletes("del|rm|rb; sync --delete-removed", "-r,--recursive -f,--force -n,--dry-run -c,--config=", dry="-n,--dry-run"),
    ),
    "s5cmd": deletes("rm|rb; sync --delete", "--endpoint-url= --profile= --no-sign-request"),
    "rclone": Program(does=rclone),
    "mc": deletes(
        "rb; rm --recursive|-r; admin user|policy|group remove|rm; mirror --remove; ilm rm; ilm rule rm; replicate rm; version suspend; admin service stop",
        "-r,--recursive --force --dangerous --remove",
    ),
}

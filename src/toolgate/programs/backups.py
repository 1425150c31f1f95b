"""Backups, snapshots and data versions: commands that delete them."""

from .program import Program
from .verbs import tool

_DRY = "-n,--dry-run"


def keeps(forms: str, options: str = "", dry: str = _DRY) -> Program:
    return tool({"cloud.delete": forms}, options, dry=dry)


ROWS: dict[str, Program] = {
    "restic": keeps(
        "forget|prune; key remove; rewrite --forget; repair snapshots --forget; unlock --remove-all",
        "-r,--repo= -p,--password-file= --keep-last= --keep-daily= --tag= --host= --prune -e,--exclude=",
    ),
    "borg": keeps(
        "delete|prune|recreate; repo-delete",
        "-r,--repo= --keep-daily= --keep-weekly= --keep-monthly= -a,--glob-archives= --list --stats -e,--exclude=",
    ),
    "duplicity": keeps("remove-older-than|remove-all-but-n-full|remove-all-inc-of-but-n-full|cleanup", "--force"),
    "kopia": keeps("snapshot delete|expire; blob delete; repository delete", "--all --delete", dry="--dry-run"),
    "tarsnap": keeps("-d; --nuke", "-d -f= --nuke --keyfile= --cachedir="),
    "pgbackrest": keeps("stanza-delete|expire", "--stanza= --force --set="),
    "wal-g": keeps("delete", "--confirm --config="),
    "barman": keeps("delete", "-c= -q"),
    "bup": keeps("rm|prune-older", "--unsafe -v"),
    "duplicati-cli": keeps("delete|purge|purge-broken-files", "--version= --keep-time="),
    "pg_probackup": keeps("delete|del-instance", "-B= --instance= -i= --delete-wal --delete-expired"),
    "timeshift": keeps(
        "--delete|--delete-all|--restore",
        "--delete --delete-all --restore --snapshot= --snapshot-device= --target= --yes --scripted",
    ),
    "snapper": keeps("delete|rm|remove; undochange|rollback; cleanup *", "-c,--config= -r,--root= --no-dbus -s,--sync"),
    "proxmox-backup-client": keeps("forget; snapshot|group forget; prune; namespace delete", "--repository= --ns="),
    "proxmox-backup-manager": keeps(
        "datastore|user|remote|sync-job delete|remove; disk wipe", "--destroy-data= --keep-job-configs="
    ),
    "juicefs": keeps("destroy; rmr|rm; gc --delete", "--delete -y,--yes --force --threads="),
    "gluster": keeps("volume|snapshot delete; volume remove-brick|stop|reset; peer detach", "--mode="),
    "lakectl": keeps("repo|branch|tag|actions delete; fs rm; branch reset", "-y,--yes -r,--recursive"),
    "dvc": keeps("gc", "-w,--workspace -f,--force -c,--cloud -a,--all-branches -T,--all-tags -A", dry="--dry"),
    "git-annex": keeps("drop|dropunused --force; dead", "--force --from= --to= -A,--all"),
    **dict.fromkeys(
        ("curator", "curator_cli"),
        keeps(
            "delete_indices|delete_snapshots|close|shrink; delete-indices|delete-snapshots",
            "--config= --host= --port=",
            dry="--dry-run",
        ),
    ),
    "elasticdump": keeps("--deleteAfterDump|--delete", "--input= --output= --deleteAfterDump --delete --type= --limit="),
    "rdiff-backup": keeps("--remove-older-than; remove", "--remove-older-than= --force"),
}

"""Backups, snapshots and data versions: commands that delete them."""

from toolgate.programs.argv.program import Program
from toolgate.programs.argv.subcommands import program_of_forms

_DRY = "-n,--dry-run"


def backup_program(forms: str, options: str = "", dry: str = _DRY) -> Program:
    return program_of_forms({"cloud.delete": forms}, options, dry=dry)


ROWS: dict[str, Program] = {
    "restic": backup_program(
        "forget|prune; key remove; rewrite --forget; repair snapshots --forget; unlock --remove-all",
        "-r,--repo= -p,--password-file= --keep-last= --keep-daily= --tag= --host= --prune -e,--exclude=",
    ),
    "borg": backup_program(
        "delete|prune|recreate; repo-delete",
        "-r,--repo= --keep-daily= --keep-weekly= --keep-monthly= -a,--glob-archives= --list --stats -e,--exclude=",
    ),
    "duplicity": backup_program("remove-older-than|remove-all-but-n-full|remove-all-inc-of-but-n-full|cleanup", "--force"),
    "kopia": backup_program("snapshot delete|expire; blob delete; repository delete", "--all --delete", dry="--dry-run"),
    "tarsnap": backup_program("-d; --nuke", "-d -f= --nuke --keyfile= --cachedir="),
    "pgbackrest": backup_program("stanza-delete|expire", "--stanza= --force --set="),
    "wal-g": backup_program("delete", "--confirm --config="),
    "barman": backup_program("delete", "-c= -q"),
    "bup": backup_program("rm|prune-older", "--unsafe -v"),
    "duplicati-cli": backup_program("delete|purge|purge-broken-files", "--version= --keep-time="),
    "pg_probackup": backup_program("delete|del-instance", "-B= --instance= -i= --delete-wal --delete-expired"),
    "timeshift": backup_program(
        "--delete|--delete-all|--restore",
        "--delete --delete-all --restore --snapshot= --snapshot-device= --target= --yes --scripted",
    ),
    "snapper": backup_program("delete|rm|remove; undochange|rollback; cleanup *", "-c,--config= -r,--root= --no-dbus -s,--sync"),
    "proxmox-backup-client": backup_program("forget; snapshot|group forget; prune; namespace delete", "--repository= --ns="),
    "proxmox-backup-manager": backup_program(
        "datastore|user|remote|sync-job delete|remove; disk wipe", "--destroy-data= --keep-job-configs="
    ),
    "juicefs": backup_program("destroy; rmr|rm; gc --delete", "--delete -y,--yes --force --threads="),
    "gluster": backup_program("volume|snapshot delete; volume remove-brick|stop|reset; peer detach", "--mode="),
    "lakectl": backup_program("repo|branch|tag|actions delete; fs rm; branch reset", "-y,--yes -r,--recursive"),
    "dvc": backup_program("gc", "-w,--workspace -f,--force -c,--cloud -a,--all-branches -T,--all-tags -A", dry="--dry"),
    "git-annex": backup_program("drop|dropunused --force; dead", "--force --from= --to= -A,--all"),
    **dict.fromkeys(
        ("curator", "curator_cli"),
        backup_program(
            "delete_indices|delete_snapshots|close|shrink; delete-indices|delete-snapshots",
            "--config= --host= --port=",
            dry="--dry-run",
        ),
    ),
    "elasticdump": backup_program("--deleteAfterDump|--delete", "--input= --output= --deleteAfterDump --delete --type= --limit="),
    "rdiff-backup": backup_program("--remove-older-than; remove", "--remove-older-than= --force"),
}

"""Backups: what is deleted of them."""

from .program import Program
from .verbs import tool

_DRY = "-n,--dry-run"


def keeps(forms: str, options: str = "", dry: str = _DRY) -> Program:
    return tool({"cloud.delete": forms}, options, dry=dry)


ROWS: dict[str, Program] = {
    "restic": keeps(
        "forget|prune; key remove", "-r,--repo= -p,--password-file= --keep-last= --keep-daily= --tag= --host= --prune"
    ),
    "borg": keeps("delete|prune", "-r,--repo= --keep-daily= --keep-weekly= --keep-monthly= -a,--glob-archives= --list --stats"),
    "duplicity": keeps("remove-older-than|remove-all-but-n-full|remove-all-inc-of-but-n-full|cleanup", "--force"),
    "kopia": keeps("snapshot delete|expire; blob delete; repository delete", "--all --delete", dry="--dry-run"),
    "tarsnap": keeps("-d; --nuke", "-d -f= --nuke --keyfile= --cachedir="),
    "pgbackrest": keeps("stanza-delete|expire", "--stanza= --force --set="),
    "wal-g": keeps("delete", "--confirm --config="),
    "barman": keeps("delete", "-c= -q"),
    "rdiff-backup": keeps("--remove-older-than; remove", "--remove-older-than= --force"),
}

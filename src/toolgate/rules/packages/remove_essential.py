"""Removing a package that the system cannot do without, or one that others need.

What depends on it stops working at once: logging in, the package manager itself, starting up. `apt-get -s remove PACKAGE` shows
what would go with it.
"""

from collections.abc import Iterator

from toolgate.model.decision import Match
from toolgate.model.effect import Operation
from toolgate.model.rule import Context

ESSENTIAL = (
    " libc6 libc-bin glibc musl systemd init bash dash coreutils util-linux"
    " dpkg apt apt-get yum dnf rpm pacman apk-tools base base-files"
    " login sudo openssl libssl3 openssh-server python3 python3-minimal perl-base kernel linux network-manager"
    " grub grub2 filesystem busybox "
)
BEGINNINGS = ("linux-image", "kernel-core", "grub-", "libsystemd")


def check(removal: Operation, _options: None, _context: Context) -> Iterator[Match]:
    if removal.origin.site.machine != "local":
        return
    name = removal.target.shown if removal.target else ""
    essential = removal.flag("system") is True and (f" {name} " in ESSENTIAL or name.startswith(BEGINNINGS) or "*" in name)
    if essential or (removal.flag("forced") is True and not name.startswith("-")):
        yield Match(removal, f"This removes {name}, which the system or other packages need.")

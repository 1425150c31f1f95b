"""Removing a package that the system or other packages need.

Everything that depends on it stops working at once: logging in, the package manager itself, booting. `apt-get -s remove PACKAGE`
shows what would be removed with it.
"""

from collections.abc import Iterator

from toolgate.model.decision import Match
from toolgate.model.effect import Operation
from toolgate.model.rule import RuleContext
from toolgate.model.word import EMPTY

ESSENTIAL_PACKAGES = frozenset(
    (
        *("libc6", "libc-bin", "libssl3", "glibc", "musl", "openssl", "filesystem", "base", "base-files", "busybox"),
        *("systemd", "init", "login", "sudo", "bash", "dash", "coreutils", "util-linux", "openssh-server", "network-manager"),
        *("dpkg", "apt", "apt-get", "yum", "dnf", "rpm", "pacman", "apk-tools", "python3", "python3-minimal", "perl-base"),
        *("kernel", "linux", "grub", "grub2"),
        *("snapd", "core", "core18", "core20", "core22", "core24"),
    )
)
"""Packages that a system needs to boot, log in and install, as Debian, Fedora, Arch, Alpine and snap name them."""
ESSENTIAL_PREFIXES = ("linux-image", "kernel-core", "grub-", "libsystemd")


def check(removal: Operation, _options: None, _context: RuleContext) -> Iterator[Match]:
    if removal.origin.site.machine != "local":
        return
    target = removal.target or EMPTY
    name = target.outline
    bare = name.partition(":")[0].partition("=")[0]  # `libc6:amd64`, `bash=5.2-1`
    essential = removal.get_flag("system") is True and (
        bare in ESSENTIAL_PACKAGES or bare.startswith(ESSENTIAL_PREFIXES) or "*" in name
    )
    if essential or (removal.get_flag("forced") is True and not name.startswith("-")):
        yield Match(removal, f"Removes {target.display_text}, which the system or other packages need.", "leave it installed.")

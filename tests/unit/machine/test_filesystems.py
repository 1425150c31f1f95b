"""Tells which file system a path is on from the kernel's own list."""

from pathlib import Path

import pytest

from toolgate.machine.filesystems import filesystem_at, is_beneath, is_on_network, list_network_mounts

MOUNTS = """\
22 1 8:1 / / rw,relatime - ext4 /dev/root rw
40 22 0:35 / /home rw - nfs4 server:/home rw
41 40 0:36 / /home/me/local\\040disk rw - xfs /dev/sdb1 rw
"""


@pytest.mark.parametrize(
    ("path", "kind"),
    [("/etc/x", "ext4"), ("/home/me/.local/state/x", "nfs4"), ("/home/me/local disk/x", "xfs"), ("/homely/x", "ext4")],
)
def test_the_deepest_mount_counts(tmp_path: Path, path: str, kind: str) -> None:
    (tmp_path / "mountinfo").write_text(MOUNTS)
    assert filesystem_at(path, str(tmp_path / "mountinfo")) == kind


def test_what_the_kernel_does_not_tell_is_not_guessed(tmp_path: Path) -> None:
    assert filesystem_at("/x", str(tmp_path / "absent")) == ""


def test_network_mounts_are_listed_without_touching_them(tmp_path: Path) -> None:
    (tmp_path / "mountinfo").write_text(MOUNTS + "42 22 0:37 / /mnt/a\\040b rw - fuse.sshfs host: rw\n")
    assert list_network_mounts(str(tmp_path / "mountinfo")) == ("/home", "/mnt/a b")
    assert list_network_mounts(str(tmp_path / "absent")) == ()
    assert [is_beneath(path, ("/home",)) for path in ("/home", "/home/me", "/homely")] == [True, True, False]


def test_this_machine(tmp_path: Path) -> None:
    assert not is_on_network(str(tmp_path))

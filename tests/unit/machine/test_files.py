"""A file is written completely or not at all."""

import multiprocessing
import os
import resource
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from toolgate.machine import files
from toolgate.model.errors import SettingsError


def test_a_new_file_and_its_folders_are_made(tmp_path: Path) -> None:
    path = tmp_path / "a" / "b" / "settings.json"
    files.write_file(str(path), b"{}\n")
    assert path.read_bytes() == b"{}\n"
    assert [each.name for each in path.parent.iterdir()] == ["settings.json"]
    umask = os.umask(0)
    os.umask(umask)
    assert stat.S_IMODE(path.stat().st_mode) == 0o644 & ~umask


def test_a_file_keeps_its_mode_and_owner(tmp_path: Path) -> None:
    path = tmp_path / "settings.json"
    path.write_text("old")
    path.chmod(0o640)
    if os.geteuid() == 0:
        os.chown(path, 4321, 4322)
    before = path.stat()
    files.write_file(str(path), b"new")
    after = path.stat()
    assert path.read_text() == "new"
    assert (after.st_mode, after.st_uid, after.st_gid) == (before.st_mode, before.st_uid, before.st_gid)


def test_a_full_disk_leaves_the_old_file_and_nothing_else(tmp_path: Path) -> None:
    """A limit on file sizes makes a write fail in the middle, as a full disk does."""
    path = tmp_path / "settings.json"
    path.write_text("old")
    program = (
        "import resource, signal, sys; from toolgate.machine import files\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN); resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))\n"
        "try: files.write_file(sys.argv[1], b'x' * 5000)\n"
        "except OSError as error: print(error.filename)"
    )
    result = subprocess.run([sys.executable, "-c", program, str(path)], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == str(path)
    assert path.read_text() == "old"
    assert [each.name for each in tmp_path.iterdir()] == ["settings.json"]
    assert resource.getrlimit(resource.RLIMIT_FSIZE)[0] != 1000


def test_reading(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "settings.json"
    assert files.read_file(str(path)) is None
    path.write_bytes(b"\xff")
    assert files.read_file(str(path)) == b"\xff"
    with pytest.raises(OSError, match=f"not a regular file: '{tmp_path}'"):
        files.read_file(str(tmp_path))
    monkeypatch.setattr(files, "MAX_FILE_BYTES", 0)
    with pytest.raises(OSError, match="larger than"):
        files.read_file(str(path))


def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    path = tmp_path / "settings.json"
    os.mkfifo(path)
    with pytest.raises(OSError, match="not a regular file"):
        files.read_file(str(path))


def test_a_link_is_followed_so_that_it_stays_one(tmp_path: Path) -> None:
    real, link = tmp_path / "dotfiles" / "claude.json", tmp_path / "settings.json"
    files.write_file(str(real), b"old")
    link.symlink_to(real)
    assert files.resolve_destination(str(link)) == str(real)
    files.write_file(files.resolve_destination(str(link)), b"new")
    assert link.is_symlink()
    assert link.read_text() == "new"


def test_a_file_that_is_not_there_yet_is_its_own_destination(tmp_path: Path) -> None:
    assert files.resolve_destination(str(tmp_path / "a" / "b"), within=str(tmp_path)) == str(tmp_path / "a" / "b")


def test_a_link_to_nothing_is_refused(tmp_path: Path) -> None:
    link = tmp_path / "settings.json"
    link.symlink_to(tmp_path / "gone")
    with pytest.raises(SettingsError, match="where nothing is; remove the link"):
        files.resolve_destination(str(link))


@pytest.mark.parametrize("what", ["file", "folder"])
def test_a_link_out_of_the_project_is_refused(tmp_path: Path, what: str) -> None:
    project, elsewhere = tmp_path / "project", tmp_path / "project-of-another"
    (elsewhere / ".claude").mkdir(parents=True)
    (elsewhere / ".claude" / "settings.json").write_text("{}")
    if what == "folder":
        project.mkdir()
        (project / ".claude").symlink_to(elsewhere / ".claude")
    else:
        (project / ".claude").mkdir(parents=True)
        (project / ".claude" / "settings.json").symlink_to(elsewhere / ".claude" / "settings.json")
    path = str(project / ".claude" / "settings.json")
    with pytest.raises(SettingsError, match="leads out of"):
        files.resolve_destination(path, within=str(project))


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a file away")
def test_a_link_of_another_user_is_refused(tmp_path: Path) -> None:
    (tmp_path / "real").write_text("{}")
    link = tmp_path / "settings.json"
    link.symlink_to(tmp_path / "real")
    os.chown(link, 4321, 4321, follow_symlinks=False)
    with pytest.raises(SettingsError, match="belongs to another user"):
        files.resolve_destination(str(link))


def add_one(folder: str, times: int) -> None:
    path = f"{folder}/count"
    for _ in range(times):
        with files.lock_folder(folder):
            files.write_file(path, str(int(files.read_file(path) or b"0") + 1).encode())


def test_two_writers_do_not_undo_each_other(tmp_path: Path) -> None:
    spawn = multiprocessing.get_context("fork")
    workers = [spawn.Process(target=add_one, args=(str(tmp_path), 25)) for _ in range(3)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert files.read_file(str(tmp_path / "count")) == b"75"
    assert [each.name for each in tmp_path.iterdir()] == ["count"]

"""Tests the store of copies: what it accepts, what it refuses, and what nothing can make it do."""

import os
import shutil
import stat
from dataclasses import replace
from pathlib import Path

import pytest

from toolgate.model.rule import UNDO_LIMITS, UndoLimits
from toolgate.undo.comparison import compare
from toolgate.undo.copier import OWN_FILE_BYTES
from toolgate.undo.survey import SPECIAL_FILE, OverBudget, Survey
from toolgate.undo.vault import DAY_SECONDS, FullStore, NotKept, Vault
from unit.undo.copies import allow_all, give_back, keep, tree


@pytest.fixture
def vault(tmp_path: Path) -> Vault:
    return Vault(str(tmp_path / "state" / "undo"))


@pytest.fixture
def work(tmp_path: Path) -> Path:
    folder = tmp_path / "work"
    (folder / "deep" / "empty").mkdir(parents=True)
    (folder / "a").write_bytes(b"a")
    (folder / "deep" / "large").write_bytes(os.urandom(OWN_FILE_BYTES + 1))
    (folder / "deep" / "link").symlink_to("../a")
    (folder / "nowhere").symlink_to("/does/not/exist")
    return folder


def test_what_was_deleted_comes_back(vault: Vault, work: Path) -> None:
    os.chmod(work / "a", 0o640)
    os.utime(work / "a", ns=(1, 1_600_000_000_123_456_789))
    before = tree(work)
    entry = keep(vault, "1", work)
    shutil.rmtree(work)
    give_back(vault, entry)
    assert tree(work) == before
    status = (work / "a").stat()
    assert (stat.S_IMODE(status.st_mode), status.st_mtime_ns) == (0o640, 1_600_000_000_123_456_789)


def test_nobody_else_may_look_into_it(vault: Vault, work: Path) -> None:
    os.umask(0)
    try:
        keep(vault, "1", work)
    finally:
        os.umask(0o022)
    assert stat.S_IMODE(os.stat(vault.folder).st_mode) == 0o700
    assert {stat.S_IMODE(path.stat().st_mode) for path in Path(vault.folder).glob("1/*")} == {0o600}


def test_a_file_that_runs_as_its_owner_comes_back_as_a_plain_one(vault: Vault, work: Path) -> None:
    os.chmod(work / "a", 0o4755)
    entry = keep(vault, "1", work)
    (work / "a").unlink()
    give_back(vault, entry)
    assert stat.S_IMODE((work / "a").stat().st_mode) == 0o755


def test_pipes_and_sockets_are_not_opened(vault: Vault, work: Path) -> None:
    os.mkfifo(work / "pipe")
    entry = keep(vault, "1", work)
    assert [(left.path, left.why) for left in entry.left_out] == [(str(work / "pipe"), SPECIAL_FILE)]


def test_a_link_is_kept_and_what_it_leads_to_is_not(vault: Vault, work: Path, tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.mkdir()
    (secret / "key").write_text("k")
    (work / "way").symlink_to(secret)
    entry = keep(vault, "1", work)
    assert not any(item.path.startswith(str(secret)) or "way/" in item.path for item in entry.items)


def test_a_root_behind_a_link_is_not_followed(vault: Vault, work: Path, tmp_path: Path) -> None:
    (tmp_path / "way").symlink_to(work)
    entry = keep(vault, "1", tmp_path / "way" / "deep")
    assert entry.left_out
    assert not entry.items


def test_holes_stay_holes(vault: Vault, work: Path) -> None:
    with (work / "sparse").open("wb") as file:
        file.truncate(1 << 30)
        file.seek(1 << 29)
        file.write(b"in the middle")
    entry = keep(vault, "1", work)
    (work / "sparse").unlink()
    give_back(vault, entry)
    status = (work / "sparse").stat()
    assert (status.st_size, status.st_blocks * 512 < 1 << 24) == (1 << 30, True)
    with (work / "sparse").open("rb") as file:
        file.seek(1 << 29)
        assert file.read(13) == b"in the middle"


def test_a_file_of_two_names_gets_both_back(vault: Vault, work: Path) -> None:
    os.link(work / "a", work / "deep" / "b")
    entry = keep(vault, "1", work)
    shutil.rmtree(work)
    give_back(vault, entry)
    assert (work / "a").stat().st_ino == (work / "deep" / "b").stat().st_ino


def test_overwriting_through_another_name_does_not_reach_the_copy(vault: Vault, work: Path) -> None:
    os.link(work / "a", work / "deep" / "b")
    entry = keep(vault, "1", work / "a")
    (work / "deep" / "b").write_text("through the other name")
    give_back(vault, entry)
    assert (work / "a").read_bytes() == (work / "deep" / "b").read_bytes() == b"a"


@pytest.mark.parametrize("limits", [UndoLimits(max_entries=3), UndoLimits(max_bytes=OWN_FILE_BYTES)])
def test_more_than_the_budget_is_not_kept(limits: UndoLimits, vault: Vault, work: Path) -> None:
    with pytest.raises(OverBudget):
        keep(vault, "1", work, limits=limits)
    assert vault.list_ids() == []


def test_a_hundred_thousand_names_are_not_walked_to_their_end(vault: Vault, tmp_path: Path) -> None:
    survey = Survey(10, 1000, allow_all)
    for n in range(50):
        (tmp_path / str(n)).touch()
    with pytest.raises(OverBudget):
        survey.add_trees([str(tmp_path)])
    assert len(survey.found) <= 11


def test_a_full_store_keeps_nothing_more_and_gives_nothing_up(vault: Vault, work: Path) -> None:
    limits = UndoLimits(total_bytes=2 * OWN_FILE_BYTES)
    keep(vault, "1", work, limits=limits)
    with pytest.raises(FullStore):
        keep(vault, "2", work, limits=limits, at=1_000_001.0)
    assert vault.list_ids() == ["1"]


def test_what_has_expired_makes_room(vault: Vault, work: Path) -> None:
    limits = UndoLimits(total_bytes=2 * OWN_FILE_BYTES)
    keep(vault, "1", work, limits=limits)
    keep(vault, "2", work, limits=limits, at=1_000_000.0 + 8 * DAY_SECONDS)
    assert vault.list_ids() == ["2"]
    assert vault.delete_older(1_000_000.0 + 9 * DAY_SECONDS) == 1
    assert vault.list_ids() == []


def test_the_size_of_the_store_is_known_without_its_index(vault: Vault, work: Path) -> None:
    limits = UndoLimits(total_bytes=2 * OWN_FILE_BYTES)
    keep(vault, "1", work, limits=limits)
    (Path(vault.folder) / ".index").write_text("1 1e9\nx")
    with pytest.raises(FullStore):
        keep(vault, "2", work, limits=limits)


def test_the_same_call_asked_again_keeps_what_there_was_first(vault: Vault, work: Path) -> None:
    keep(vault, "1", work / "a")
    (work / "a").write_text("changed meanwhile")
    give_back(vault, keep(vault, "1", work / "a"))
    assert (work / "a").read_bytes() == b"a"


def test_a_store_that_is_a_link_is_none(vault: Vault, work: Path, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "state").mkdir()
    os.symlink(tmp_path / "elsewhere", vault.folder)
    with pytest.raises(NotKept):
        keep(vault, "1", work)
    assert list((tmp_path / "elsewhere").iterdir()) == []


def test_protected_places_are_neither_kept_nor_written(vault: Vault, work: Path) -> None:
    def reason_to_skip(path: str) -> str:
        return "it may hold secrets" if path.endswith("/a") or "/deep" in path else ""

    entry = keep(vault, "1", work, protects=reason_to_skip)
    assert {Path(left.path).name for left in entry.left_out} == {"a", "deep"}
    whole = keep(vault, "2", work)
    shutil.rmtree(work)
    give_back(vault, whole, reason_to_skip)
    assert set(tree(work)) == {"nowhere"}


def test_restoring_follows_no_link_that_was_put_there_meanwhile(vault: Vault, work: Path, tmp_path: Path) -> None:
    entry = keep(vault, "1", work / "deep")
    other = tmp_path / "other"
    other.mkdir()
    (other / "large").write_text("somebody's")
    shutil.rmtree(work / "deep")
    (work / "deep").symlink_to(other)
    give_back(vault, entry)
    assert (other / "large").read_text() == "somebody's"
    assert set(other.iterdir()) == {other / "large"}
    assert not (work / "deep").is_symlink()


def test_a_folder_above_that_became_a_link_is_not_written_through(vault: Vault, work: Path, tmp_path: Path) -> None:
    entry = keep(vault, "1", work / "deep")
    shutil.move(work, tmp_path / "moved")
    work.symlink_to(tmp_path / "moved")
    shutil.rmtree(tmp_path / "moved" / "deep")
    with pytest.raises(OSError, match=r"Too many levels|Not a directory"):
        give_back(vault, entry)
    assert not (tmp_path / "moved" / "deep").exists()


def test_newer_work_is_told_from_what_the_call_left(vault: Vault, work: Path) -> None:
    entry = keep(vault, "1", work / "a", work / "deep" / "large")
    (work / "a").write_text("by the call")
    vault.finish_copy(entry.id)
    changed = {Path(change.item.path).name: change.newer for change in compare(entry, vault, allow_all)}
    assert changed == {"a": False}
    later = os.stat(Path(vault.folder) / "1" / "finished").st_mtime + 10
    (work / "deep" / "large").write_text("by a person")
    os.utime(work / "deep" / "large", (later, later))
    changed = {Path(change.item.path).name: change.newer for change in compare(entry, vault, allow_all)}
    assert changed == {"a": False, "large": True}


def test_without_the_end_of_the_call_every_change_is_newer_work(vault: Vault, work: Path) -> None:
    entry = keep(vault, "1", work / "a")
    (work / "a").write_text("by whom?")
    assert [change.newer for change in compare(entry, vault, allow_all)] == [True]


def test_what_was_given_back_can_be_undone(vault: Vault, work: Path) -> None:
    from toolgate.undo.restoration import keep_present, restore

    entry = keep(vault, "1", work)
    shutil.rmtree(work / "deep")
    (work / "a").write_text("newer")
    before = tree(work)
    changes = compare(entry, vault, allow_all)
    replaced_entry = keep_present(replace(entry, id="2", exact=()), changes, vault, allow_all, UNDO_LIMITS)
    restore(entry, changes, vault)
    vault.finish_copy(replaced_entry.id)
    assert (work / "deep" / "large").exists()
    give_back(vault, replaced_entry)
    assert tree(work) == before


def test_a_damaged_copy_is_told(vault: Vault, work: Path) -> None:
    keep(vault, "1", work)
    pack = Path(vault.folder) / "1" / "pack"
    whole = pack.read_bytes()
    for damaged in (b"", whole[:-1], whole[:-100], whole[:-20] + b"x" * 12 + whole[-8:], b'{"format": 2}' + whole[-8:-1] + b"\r"):
        pack.write_bytes(damaged)
        with pytest.raises(ValueError, match=r"damaged|another version"):
            vault.load_entry("1")

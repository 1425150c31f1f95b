"""Tests the machine as a call has left it: sure changes replace, possible ones are added."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolgate.machine.simulated_world import SimulatedWorld
from toolgate.machine.world import MachineWorld
from toolgate.model.errors import LimitError
from toolgate.model.word import EMPTY, Hole, known_word, unknown_word
from toolgate.overlay import MAX_ALTERNATIVES, Entry, File, Folder, Link, NoEntry, Overlay
from toolgate.paths import resolve_path

WORLD = SimulatedWorld(files={"/w/f": "old", "/w/d/x": "x"}, links={"/w/l": "/etc"}, folders=frozenset(("/w/empty",)))


def test_what_surely_happens_replaces() -> None:
    overlay = Overlay(WORLD)
    overlay.record_change("/w/f", File(known_word("new")), always=True)
    assert overlay.read_alternatives("/w/f") == (known_word("new"),)


def test_what_may_happen_is_there_beside_what_was() -> None:
    overlay = Overlay(WORLD)
    overlay.record_change("/w/f", File(known_word("new")), always=False)
    assert overlay.read_alternatives("/w/f") == (known_word("old"), known_word("new"))
    overlay.record_change("/w/f", NoEntry(), always=False)
    assert overlay.exists("/w/f") is None
    overlay.record_change("/w/f", NoEntry(), always=True)
    assert (overlay.exists("/w/f"), overlay.read_alternatives("/w/f")) == (False, (None,))


def test_alternatives_are_few() -> None:
    overlay = Overlay(WORLD)
    for n in range(50):
        overlay.record_change("/w/f", File(known_word(str(n))), always=False)
    *texts, last = overlay.read_alternatives("/w/f")
    assert len(texts) == MAX_ALTERNATIVES
    assert last is not None
    assert last.text is None  # the others count as unread


def test_a_link_that_may_lead_back_to_itself_adds_no_place() -> None:
    overlay = Overlay(WORLD)
    overlay.record_change("/a", Link("/a"), always=False)
    overlay.record_change("/b", Link("/a/../b"), always=False)
    assert (resolve_path("/a", overlay), resolve_path("/b/x", overlay)) == (("/a",), ("/b/x",))


def test_links_to_more_places_than_are_followed_are_refused() -> None:
    overlay = Overlay(WORLD)
    for n in range(MAX_ALTERNATIVES - 1):
        overlay.record_change("/l", Link(f"/t{n}"), always=False)
    overlay.record_change("/t0", Link("/u"), always=False)
    with pytest.raises(LimitError, match="more places"):
        resolve_path("/l", overlay)


def test_a_new_folder_is_empty_and_a_deleted_one_holds_nothing() -> None:
    overlay = Overlay(WORLD)
    overlay.record_change("/w/new", Folder(), always=True)
    assert (overlay.is_folder("/w/new"), overlay.exists("/w/new/a/b")) == (True, False)
    overlay.record_change("/w/d", NoEntry(), always=True)
    assert (overlay.exists("/w/d/x"), overlay.read_alternatives("/w/d/x")) == (False, (None,))
    maybe = Overlay(WORLD)
    maybe.record_change("/w/d", NoEntry(), always=False)
    assert maybe.exists("/w/d/x") is None


def test_a_folder_that_was_filled_holds_unknown_files() -> None:
    overlay, brought = Overlay(WORLD), unknown_word("git clone")
    overlay.record_change("/w/repo", Folder(brought), always=True)
    assert overlay.read_alternatives("/w/repo/install.sh") == (brought,)
    assert overlay.is_written_here("/w/repo/install.sh")


def test_links_of_the_machine_and_of_the_call() -> None:
    overlay = Overlay(WORLD)
    assert overlay.link_targets("/w/l") == ("/etc",)
    overlay.record_change("/w/l", Link("/tmp"), always=False)
    assert overlay.link_targets("/w/l") == ("/etc", "/tmp")
    overlay.record_change("/w/l", File(EMPTY), always=True)
    assert overlay.link_targets("/w/l") == (None,)


def test_a_copied_folder_holds_what_the_other_held_then() -> None:
    overlay = Overlay(WORLD)
    overlay.record_change("/w/d/new", File(known_word("new")), always=True)
    overlay.record_copy("/w/d", "/c", always=True)
    overlay.record_change("/w/d", NoEntry(), always=True)
    assert (overlay.is_folder("/c"), overlay.exists("/c/x"), overlay.exists("/c/y")) == (True, True, False)
    assert overlay.read_alternatives("/c/x") == (known_word("x"),)
    assert overlay.read_alternatives("/c/new") == (known_word("new"),)
    overlay.record_copy("/c", "/c/c", always=True)
    assert overlay.read_alternatives("/c/c/x") == (known_word("x"),)


def test_many_folders_copied_into_one_are_unread() -> None:
    overlay = Overlay(WORLD)
    for n in range(50):
        overlay.record_copy(f"/w/{n}", "/c", always=False)
    assert any(
        isinstance(part, Hole) and part.unread for text in overlay.read_alternatives("/c/x") if text for part in text.parts
    )


def test_what_nobody_touched_is_asked_of_the_world() -> None:
    overlay = Overlay(WORLD)
    assert (overlay.is_folder("/w/d"), overlay.is_folder("/w/f"), overlay.exists("/nowhere")) == (True, False, False)
    assert not overlay.is_written_here("/w/f")


PATHS = ("/a", "/a/b", "/a/b/c", "/ab", "/a/l/c", "/l", "/")
ENTRIES = (File(known_word("x")), Folder(), Link("/a"), Link("/ab"), NoEntry())


@given(st.lists(st.tuples(st.sampled_from(PATHS), st.sampled_from((*ENTRIES, *PATHS)), st.booleans()), max_size=6))
def test_what_is_remembered_from_one_change_to_the_next_still_holds(changes: list[tuple[str, Entry | str, bool]]) -> None:
    """One overlay is asked after each change, the other after all of them. A call with too many alternatives is refused."""
    queried, last = Overlay(WORLD), Overlay(WORLD)
    try:
        for path, entry, always in changes:
            for overlay in (queried, last):
                if isinstance(entry, str):
                    overlay.record_copy(entry, path, always=always)
                else:
                    overlay.record_change(path, entry, always=always)
            for each in PATHS:
                resolve_path(each, queried)
                queried.list_entries(each)
    except LimitError:
        return
    assert [resolve_path(each, queried) for each in PATHS] == [resolve_path(each, last) for each in PATHS]
    assert [queried.link_targets(each) for each in PATHS] == [last.link_targets(each) for each in PATHS]
    assert [queried.list_entries(each) for each in PATHS] == [last.list_entries(each) for each in PATHS]


NAMES = ("d/x", "d/new", "link/x", "link/new", "f", "new/x", "new", "link", "d")
CHANGES = (File(known_word("x")), Folder(), Folder(unknown_word("tar")), Link("d"), NoEntry(), "d")


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("tree")
    (folder / "d").mkdir()
    (folder / "d/x").write_text("x")
    (folder / "link").symlink_to("d")
    (folder / "dangling").symlink_to("nowhere")
    return str(folder)


@given(st.lists(st.tuples(st.sampled_from(NAMES), st.sampled_from(CHANGES), st.booleans()), max_size=4))
def test_what_is_plainly_absent_exists_in_no_alternative(tree: str, changes: list[tuple[str, Entry | str, bool]]) -> None:
    overlay = Overlay(MachineWorld())
    try:
        for name, change, always in changes:
            for path in resolve_path(f"{tree}/{name}", overlay):
                if isinstance(change, str):
                    overlay.record_copy(f"{tree}/{change}", path, always=always)
                else:
                    entry = Link(f"{tree}/{change.target}") if isinstance(change, Link) else change
                    overlay.record_change(path, entry, always=always)
        for name in (*NAMES, "dangling", "dangling/x", "d/../f", "link/../d/x", "d/x/y", ".", "missing/../d"):
            ends = resolve_path(f"{tree}/{name}", overlay)
            if overlay.is_plainly_absent(f"{tree}/{name}"):
                assert {overlay.exists(end) for end in ends} == {False}
    except LimitError:
        return


def test_most_missing_files_are_plainly_absent(tree: str) -> None:
    overlay = Overlay(MachineWorld())
    overlay.record_change(f"{tree}/d/new", File(EMPTY), always=True)
    assert overlay.is_plainly_absent(f"{tree}/.env")
    assert overlay.is_plainly_absent(f"{tree}/nowhere/.git/config")
    assert not overlay.is_plainly_absent(f"{tree}/link/new")
    assert not overlay.is_plainly_absent(f"{tree}/d/x")

"""The machine as a call has left it: what surely happened replaces, what may have happened is there beside it."""

from hypothesis import given
from hypothesis import strategies as st

from toolgate.machine.imagined import Imagined
from toolgate.model.word import EMPTY, known, unknown
from toolgate.overlay import ALTERNATIVES, Entry, File, Folder, Gone, Link, Overlay
from toolgate.paths import resolve

WORLD = Imagined(files={"/w/f": "old", "/w/d/x": "x"}, links={"/w/l": "/etc"}, folders=frozenset(("/w/empty",)))


def test_what_surely_happens_replaces() -> None:
    overlay = Overlay(WORLD)
    overlay.change("/w/f", File(known("new")), always=True)
    assert overlay.contents("/w/f") == (known("new"),)


def test_what_may_happen_is_there_beside_what_was() -> None:
    overlay = Overlay(WORLD)
    overlay.change("/w/f", File(known("new")), always=False)
    assert overlay.contents("/w/f") == (known("old"), known("new"))
    overlay.change("/w/f", Gone(), always=False)
    assert overlay.exists("/w/f") is None
    overlay.change("/w/f", Gone(), always=True)
    assert (overlay.exists("/w/f"), overlay.contents("/w/f")) == (False, (None,))


def test_alternatives_are_few() -> None:
    overlay = Overlay(WORLD)
    for n in range(50):
        overlay.change("/w/f", File(known(str(n))), always=False)
    assert len(overlay.contents("/w/f")) == ALTERNATIVES


def test_a_new_folder_is_empty_and_a_deleted_one_holds_nothing() -> None:
    overlay = Overlay(WORLD)
    overlay.change("/w/new", Folder(), always=True)
    assert (overlay.is_folder("/w/new"), overlay.exists("/w/new/a/b")) == (True, False)
    overlay.change("/w/d", Gone(), always=True)
    assert (overlay.exists("/w/d/x"), overlay.contents("/w/d/x")) == (False, (None,))
    maybe = Overlay(WORLD)
    maybe.change("/w/d", Gone(), always=False)
    assert maybe.exists("/w/d/x") is None


def test_a_folder_that_was_filled_holds_unknown_files() -> None:
    overlay, brought = Overlay(WORLD), unknown("git clone")
    overlay.change("/w/repo", Folder(brought), always=True)
    assert overlay.contents("/w/repo/install.sh") == (brought,)
    assert overlay.written_here("/w/repo/install.sh")


def test_links_of_the_machine_and_of_the_call() -> None:
    overlay = Overlay(WORLD)
    assert overlay.links("/w/l") == ("/etc",)
    overlay.change("/w/l", Link("/tmp"), always=False)
    assert overlay.links("/w/l") == ("/etc", "/tmp")
    overlay.change("/w/l", File(EMPTY), always=True)
    assert overlay.links("/w/l") == (None,)


def test_what_nobody_touched_is_asked_of_the_world() -> None:
    overlay = Overlay(WORLD)
    assert (overlay.is_folder("/w/d"), overlay.is_folder("/w/f"), overlay.exists("/nowhere")) == (True, False, False)
    assert not overlay.written_here("/w/f")


PATHS = ("/a", "/a/b", "/a/b/c", "/ab", "/a/l/c", "/l", "/")
ENTRIES = (File(known("x")), Folder(), Link("/a"), Link("/ab"), Gone())


@given(st.lists(st.tuples(st.sampled_from(PATHS), st.sampled_from(ENTRIES), st.booleans()), max_size=6))
def test_what_is_remembered_from_one_change_to_the_next_still_holds(changes: list[tuple[str, Entry, bool]]) -> None:
    """One overlay is asked after each change, the other after all of them."""
    asked, last = Overlay(WORLD), Overlay(WORLD)
    for path, entry, always in changes:
        asked.change(path, entry, always=always)
        last.change(path, entry, always=always)
        for each in PATHS:
            resolve(each, asked)
            asked.entries(each)
    assert [resolve(each, asked) for each in PATHS] == [resolve(each, last) for each in PATHS]
    assert [asked.links(each) for each in PATHS] == [last.links(each) for each in PATHS]
    assert [asked.entries(each) for each in PATHS] == [last.entries(each) for each in PATHS]

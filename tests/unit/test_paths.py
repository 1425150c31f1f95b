"""Tests the places that a word may mean, relative to a directory."""

import pytest

from toolgate.machine.simulated_world import SimulatedWorld
from toolgate.model.effect import Site
from toolgate.model.word import Hole, Word, known_word
from toolgate.overlay import Link, NoEntry, Overlay
from toolgate.paths import resolve_path, resolve_places

WORLD = SimulatedWorld(
    files={"/w/f": ""},
    links={
        "/w/link": "/etc",
        "/w/rel": "sub/deep",
        "/w/loop": "loop",
        "/w/up": "..",
        "/home/u/.ssh": "/data/ssh",
        "/w/sub/back": "../link",
    },
    folders=frozenset(("/w/sub/deep", "/etc", "/data/ssh")),
)
ANY, NAME = Hole("**", "$X"), Hole("*", "*")


def paths(word: Word, base: str = "/w", site: Site | None = None) -> list[tuple[str | None, str | None, str]]:
    found = resolve_places(word, known_word(base), Overlay(WORLD), site or Site())
    return [(place.path, place.anchor, place.rest) for place in found]


KNOWN = {
    "f": "/w/f",
    "": "/w",
    ".": "/w",
    "./sub/../f": "/w/f",
    "/": "/",
    "//etc//x/": "/etc/x",
    "..": "/",
    "../../..": "/",
    "link": "/etc",
    "link/passwd": "/etc/passwd",
    "link/..": "/",  # not textual: where the link leads, and up from there
    "rel/../x": "/w/sub/x",
    "sub/back/shadow": "/etc/shadow",
    "up/etc": "/etc",
    "not/there/yet": "/w/not/there/yet",
    "not/../there": "/w/there",
    "/home/u/.ssh/id": "/data/ssh/id",
    "loop/x": "/w/loop/x",
}


@pytest.mark.parametrize("text", KNOWN)
def test_known_paths(text: str) -> None:
    assert paths(known_word(text)) == [(KNOWN[text], None, "")]


def test_a_link_itself_is_what_is_deleted_unless_something_follows_it() -> None:
    overlay = Overlay(WORLD)
    assert [place.path for place in resolve_places(known_word("link"), known_word("/w"), overlay, follow=False)] == ["/w/link"]
    assert [place.path for place in resolve_places(known_word("link/"), known_word("/w"), overlay, follow=False)] == ["/etc"]
    assert [place.path for place in resolve_places(known_word("link/."), known_word("/w"), overlay, follow=False)] == ["/etc"]


HALF_KNOWN = [
    (Word(("sub/", NAME)), (None, "/w/sub", "*")),
    (Word(("link/", NAME, "/x")), (None, "/etc", "*/x")),
    (Word((NAME, ".txt")), (None, "/w", "*.txt")),
    (Word(("/etc/", ANY)), (None, "/etc", "**")),
    (Word((ANY,)), (None, None, "**")),
    (Word((ANY, "/x")), (None, None, "**/x")),
    # `..` after a glob takes the glob away, but not what may be many folders
    (Word(("sub/", NAME, "/../..")), (None, "/w", "")),
    (Word(("/a/", NAME, "/../../b")), (None, "/", "b")),
    (Word(("/etc/", ANY, "/../x")), (None, "/etc", "**/x")),
    (Word(("/a/", Hole("[ab]", "[ab]"), "c")), (None, "/a", "[ab]c")),
]


@pytest.mark.parametrize(("word", "expected"), HALF_KNOWN)
def test_half_known_paths(word: Word, expected: tuple[str | None, str | None, str]) -> None:
    (path, anchor, rest), *more = paths(word)
    assert not more
    if expected[2] == "" or expected == (None, "/", "b"):
        assert path or anchor  # where it surely lies above is enough
    else:
        assert (path, anchor, rest) == expected


def test_a_star_that_is_quoted_is_a_star() -> None:
    assert paths(known_word("a*b?[c]")) == [("/w/a*b?[c]", None, "")]


def test_elsewhere_only_a_mount_leads_here() -> None:
    site = Site("container:x", "", (("/data", "/etc"), ("/data/in", "/w")))
    assert paths(known_word("/data/passwd"), "/", site) == [("/etc/passwd", None, "")]
    assert paths(known_word("/data/in/f"), "/", site) == [("/w/f", None, "")]
    (place,) = resolve_places(known_word("/data/in/../passwd"), known_word("/"), Overlay(WORLD), site)
    assert (place.path, place.machine) == ("/etc/passwd", "local")
    (place,) = resolve_places(known_word("/etc/passwd"), known_word("/"), Overlay(WORLD), site)
    assert (place.path, place.machine) == ("/etc/passwd", "container:x")


def test_a_nul_is_no_path() -> None:
    assert paths(known_word("a\0b")) == [(None, None, "")]


def test_a_link_made_here_may_lead_to_both() -> None:
    overlay = Overlay(WORLD)
    overlay.record_change("/w/new", Link("/etc"), always=False)
    assert set(resolve_path("/w/new/x", overlay)) == {"/etc/x", "/w/new/x"}
    overlay.record_change("/w/new", Link("/tmp"), always=True)
    assert resolve_path("/w/new/x", overlay) == ("/tmp/x",)
    overlay.record_change("/w/link", NoEntry(), always=True)
    assert resolve_path("/w/link/x", overlay) == ("/w/link/x",)


@pytest.mark.parametrize("depth", [30, 60, 3_000])
def test_a_link_far_above_is_followed(depth: int) -> None:
    beneath = "/".join("d" * depth)
    assert resolve_path(f"/w/link/{beneath}", Overlay(WORLD)) == (f"/etc/{beneath}",)


def test_links_that_never_end_do() -> None:
    links = {f"/a{n}": f"/a{(n + 1) % 50}/b" for n in range(50)}
    assert resolve_path("/a0", Overlay(SimulatedWorld(links=links)))


@pytest.mark.parametrize("path", ["/" + "a/" * 3_000, "a/" * 100_000, "../" * 3_000])
def test_a_path_that_no_system_takes_may_be_anywhere(path: str) -> None:
    assert paths(known_word(path)) == [(None, None, "**")]
    assert paths(Word((path, ANY))) == [(None, None, "**")]

"""A text of any size is looked through within a bound: in pieces, and up to so many places at which something is tried."""

import pytest

from toolgate.redaction.finder import PIECE, TRIED, UNREAD, Finder

TOKEN = "ghp_" + "16C7e42F292c6912E7710c838347Ae178B4a"


@pytest.mark.parametrize("before", [PIECE - 40, PIECE - 20, PIECE - 4, PIECE - 2, PIECE, 3 * PIECE - 3])
def test_a_token_across_two_pieces_is_found_once(before: int) -> None:
    text = " " * before + TOKEN + " " * PIECE
    assert [(hit.start, hit.end) for hit in Finder().find(text)] == [(before, before + len(TOKEN))]


@pytest.mark.parametrize("before", [PIECE - 8, PIECE - 2, PIECE])
def test_a_name_across_two_pieces_is_found(before: int) -> None:
    text = " " * before + 'DB_PASSWORD="xK9#mQ2$vL7pR4w"' + " " * PIECE
    assert len(Finder().find(text)) == 1


def test_what_follows_too_many_places_is_one_hit() -> None:
    text = "key=" * (TRIED + 10) + TOKEN
    hits = Finder().find(text)
    assert hits[-1].kind == UNREAD
    assert hits[-1].end == len(text)
    assert TRIED <= hits[-1].start < len(text) - len(TOKEN)


def test_a_long_text_with_few_places_is_looked_through_whole() -> None:
    text = "hello world, a line of text\n" * 200_000 + TOKEN
    assert [hit.kind for hit in Finder().find(text)] == ["github-token"]

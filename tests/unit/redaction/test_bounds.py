"""A text of any size is searched within a bound: in pieces, and at a limited number of places."""

import pytest

from toolgate.redaction.finder import MAX_PROBES, PIECE_LENGTH, UNREAD, Finder

TOKEN = "ghp_" + "16C7e42F292c6912E7710c838347Ae178B4a"


@pytest.mark.parametrize(
    "before", [PIECE_LENGTH - 40, PIECE_LENGTH - 20, PIECE_LENGTH - 4, PIECE_LENGTH - 2, PIECE_LENGTH, 3 * PIECE_LENGTH - 3]
)
def test_a_token_across_two_pieces_is_found_once(before: int) -> None:
    text = " " * before + TOKEN + " " * PIECE_LENGTH
    assert [(hit.start, hit.end) for hit in Finder().find(text)] == [(before, before + len(TOKEN))]


@pytest.mark.parametrize("before", [PIECE_LENGTH - 8, PIECE_LENGTH - 2, PIECE_LENGTH])
def test_a_name_across_two_pieces_is_found(before: int) -> None:
    text = " " * before + 'DB_PASSWORD="xK9#mQ2$vL7pR4w"' + " " * PIECE_LENGTH
    assert len(Finder().find(text)) == 1


def test_what_follows_too_many_places_is_one_hit() -> None:
    text = "key=" * (MAX_PROBES + 10) + TOKEN
    hits = Finder().find(text)
    assert hits[-1].kind == UNREAD
    assert hits[-1].end == len(text)
    assert MAX_PROBES <= hits[-1].start < len(text) - len(TOKEN)


def test_a_long_text_with_few_places_is_looked_through_whole() -> None:
    text = "hello world, a line of text\n" * 200_000 + TOKEN
    assert [hit.kind for hit in Finder().find(text)] == ["github-token"]

"""Codes: how one is built, recognised in a text, and answered with."""

import pytest

from toolgate.consent.codes import build_code, has_code, hash_code, is_matching_code, parse_answer

CODE = build_code(bytes(range(16)))


def test_a_code_is_recognised_in_any_case_and_by_its_check_letter() -> None:
    assert has_code(CODE)
    assert has_code(f"please run `approve {CODE.upper()}` now")
    other = "a" if CODE[-1] != "a" else "b"
    assert not has_code(CODE[:-1] + other)
    assert not has_code(CODE[:-1])
    assert not has_code("tgc-")


def test_codes_of_other_bytes_differ() -> None:
    assert len({build_code(bytes((n,) * 16)) for n in range(200)}) == 200


def test_only_the_hash_of_a_code_is_stored() -> None:
    stored = hash_code(CODE, "salt")
    assert stored.startswith("salt$")
    assert CODE not in stored
    assert is_matching_code(CODE.upper(), stored)
    assert not is_matching_code(build_code(bytes(16)), stored)
    assert hash_code(CODE, "other") != stored


@pytest.mark.parametrize(
    ("prompt", "answer"),
    [
        (f"approve {CODE}", (True, CODE, "once")),
        (f" Approve  {CODE.upper()} Session. ", (True, CODE, "session")),
        (f"deny {CODE}!", (False, CODE, "once")),
        (f"deny {CODE} once", (False, CODE, "once")),
        (f"please approve {CODE}", None),
        (f"approve {CODE} forever", None),
        ("approve", None),
    ],
)
def test_an_answer_is_the_whole_prompt(prompt: str, answer: tuple[bool, str, str] | None) -> None:
    assert parse_answer(prompt) == answer

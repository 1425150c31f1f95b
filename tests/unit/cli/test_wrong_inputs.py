"""Tests the message for each wrong input: the file, the key and the remedy, and an exit code for the cause."""

import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

import pytest

from toolgate.hosts import HOSTS
from toolgate.policy import profiles

from .wrong_inputs import WRONG_INPUTS, WrongInput

GOLDEN = Path(__file__).with_name("wrong_inputs.txt")
LISTS = ((tuple(HOSTS), "{hosts}"), (profiles.list_names(), "{profiles}"))
REMEDIES = ("; ", "id you mean", " lists them", "give ", "name a host", "see: ", "is one of", "is not one of", "does not exist")


def answer_of(each: WrongInput, home: Path) -> str:
    for path, text in each.files.items():
        (home / path).parent.mkdir(parents=True, exist_ok=True)
        (home / path).write_text(text)
    result = subprocess.run(
        [sys.executable, "-m", "toolgate", *(word.format(home=home) for word in each.words)],
        cwd=home,
        env={"HOME": str(home), "PATH": "/usr/bin:/bin", "LANG": "C.UTF-8"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    description = f"exit {result.returncode}\n{result.stderr.strip()}\n"
    for listed, mark in (
        (str(home), "{home}"),
        *((join(names), mark) for names, mark in LISTS for join in (quote_names, ", ".join)),
    ):
        description = description.replace(listed, mark)
    return description


def quote_names(names: Iterable[str]) -> str:
    return ", ".join(map(repr, names))


def read_golden() -> dict[str, str]:
    sections = GOLDEN.read_text().split("## ")[1:] if GOLDEN.exists() else []
    return {name: text.strip() + "\n" for name, _, text in (section.partition("\n") for section in sections)}


@pytest.mark.parametrize("name", WRONG_INPUTS)
def test_a_wrong_input_gets_this_message(name: str, tmp_path: Path) -> None:
    message = answer_of(WRONG_INPUTS[name], tmp_path)
    assert message == read_golden()[name]
    assert "Traceback" not in message
    assert any(remedy in message for remedy in REMEDIES)


def test_the_messages_belong_to_inputs() -> None:
    assert set(read_golden()) == set(WRONG_INPUTS)

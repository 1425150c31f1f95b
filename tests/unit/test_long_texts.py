"""Tests long runs of one pattern, which expressions that search for their end from every position took seconds to minutes to
read.
"""

import pytest

from judged import answer
from toolgate.cases import Case
from toolgate.model.decision import Verdict

LONG = 50_000
PASSING = {
    "brackets that nothing closes": "echo " + "[" * LONG,
    "brackets before a slash": "ls " + "[" * LONG + "/]",
    "a name in arithmetic": "echo $((" + "a" * LONG + "))",
    "a name in an awk program": "awk '" + "a" * LONG + "' f",
    "line ends in a sed script": "sed '" + "\n" * LONG + "p' f",
    "a host of dots": "curl " + "a." * LONG,
    "comments of SQL": "psql -c '" + "-- \n" * LONG + "'",
}


CALL = Case("long", "", "claude-code", "Bash", {}, frozenset())


@pytest.mark.parametrize("name", PASSING)
def test_it_is_read(name: str) -> None:
    assert answer(CALL, PASSING[name]).verdict is Verdict.PASS


@pytest.mark.parametrize("name", PASSING)
def test_what_follows_is_read(name: str) -> None:
    assert answer(CALL, PASSING[name] + "; rm -rf ~").verdict is Verdict.DENY

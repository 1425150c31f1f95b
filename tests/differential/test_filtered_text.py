"""What filters make of a known text, compared with the programs themselves."""

import random
import subprocess
from itertools import product

import pytest

from toolgate.model.word import Word, known_word
from toolgate.programs.argv.options import Flags
from toolgate.programs.files import filtered_text
from toolgate.programs.files.awk_selections import select_records
from toolgate.programs.files.filters import _CUT, GREP, HEAD, ROWS, SORT, TAIL

LINES = (
    *("", "a=1", "dir = build", "dir=/srv/data", "# note", "url: x y  z", "b,c,,d", "A B", " lead", "tail ", "x=y=z"),
    *("10 20", "vm 127.0.0.1", "[s]", "k\tv"),
)
PROGRAMS = [
    *("{print $2}", '$1=="dir"{print $2}', "/^dir/{print $2}", "!/^#/", "NR>1{print $1, $2}", "NF", "NR==2{print; exit}"),
    *("$2 ~ /b/ {print $NF}", "{print $0}", "/=/ && NR<9 {print $1}", '$1!="a"{print $1}', "{print}", "NR>=3", '$NF=="z"'),
    *("/^vm/{print $2; exit}", "$1==v{print $2}", "{print $9}"),
]
SEPARATORS = [None, "=", ",", ":", " *= *", "\\t", "[ =]+"]
FILTERS: list[tuple[str, Flags, list[str]]] = [
    *(
        ("grep", GREP, words.split("|"))
        for words in ("dir", "-v|^#", "-i|DIR", "-E|^[ab]", "-o|[a-z]*$", "-x|a=1", "-F|=", "-m1|=")
    ),
    *(("grep", GREP, words.split("|")) for words in ("-e|a|-e|b", "-oE|[0-9.]+", "^ *[a-z]", "\\.", "-vE|^#")),
    *(("cut", _CUT, words.split("|")) for words in ("-d=|-f2", "-d|=|-f2-", "-d,|-f1,3", "-f1", "-sd=|-f1", "-d=|-f-1")),
    *(("head", HEAD, words.split("|")) for words in ("-n|2", "-1", "-n|-1")),
    *(("tail", TAIL, words.split("|")) for words in ("-n|2", "-1", "-n|+2", "-n|-3")),
    *(("sort", SORT, words.split("|")) for words in ("-u", "-r")),
]


class GivenInput:
    """The context of a filter that reads nothing but its standard input."""

    def __init__(self, text: str) -> None:
        self.stdin = known_word(text)

    def read(self, word: Word) -> Word:
        raise AssertionError(word)


def texts(seed: int, count: int) -> list[str]:
    chooser = random.Random(seed)
    return ["\n".join(chooser.sample(LINES, chooser.randint(1, 8))) + "\n" for _ in range(count)]


def run(argv: list[str], text: str) -> str:
    ran = subprocess.run(
        argv, check=False, input=text, capture_output=True, text=True, env={"LC_ALL": "C.UTF-8", "PATH": "/usr/bin:/bin"}
    )
    return ran.stdout


@pytest.mark.parametrize(("program", "separator"), list(product(PROGRAMS, SEPARATORS)))
def test_selections_of_awk_print_the_same(program: str, separator: str | None) -> None:
    for text in texts(7, 6):
        found = select_records(program, text, separator, {"v": "dir"})
        assert found == run(["awk", *(() if separator is None else ("-F" + separator,)), "-v", "v=dir", program], text)


@pytest.mark.parametrize(("name", "flags", "words"), FILTERS, ids=lambda value: value if isinstance(value, str) else "")
def test_filters_print_the_same_or_are_unknown(name: str, flags: Flags, words: list[str]) -> None:
    known = 0
    for text in texts(11, 30):
        options = flags.parse(tuple(map(known_word, (name, *words))))
        found = filtered_text.print_filtered(name, options, [], GivenInput(text))  # type: ignore[arg-type]
        known += found is not None
        assert found is None or found.text == run([name, *words], text)
    assert known > 0


@pytest.mark.parametrize(
    "program", ["{print > $1}", "{system($1)}", "BEGIN{print 1}", "{print $1 | $2}", "{getline; print}", "{n++} END{print n}"]
)
def test_a_program_that_does_more_is_not_computed(program: str) -> None:
    assert select_records(program, "a b\n", None, {}) is None


def test_every_filter_is_a_program_with_a_row() -> None:
    assert filtered_text._FILTERS.keys() <= ROWS.keys()

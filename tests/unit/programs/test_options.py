"""Parses argv by a row's options, as getopt_long does; real `getopt` parses the same words."""

import shlex
import shutil
import subprocess

import pytest

from toolgate.model.word import Hole, Word, known_word
from toolgate.programs.argv.options import Flags, ParsedOptions

FLAGS = Flags("-a,--all -b -f,--file= -c,--color=? --force --format= -x,--exclude=")
GETOPT = shutil.which("getopt")


def parse(text: str, *, stop: bool = False) -> ParsedOptions:
    return FLAGS.parse(tuple(map(known_word, ["p", *shlex.split(text)])), stop=stop)


def as_texts(read: ParsedOptions) -> tuple[list[str], list[tuple[str, str]], list[str], list[str]]:
    return (
        sorted(read.flags),
        [(name, word.display_text) for name, word in read.values],
        [word.display_text for word in read.operands],
        read.strange,
    )


READ = {
    "": ([], [], [], []),
    "-ab x": (["--all", "-b"], [], ["x"], []),
    "-abf v x": (["--all", "--file", "-b"], [("--file", "v")], ["x"], []),
    "-afv": (["--all", "--file"], [("--file", "v")], [], []),
    "-f v -f w": (["--file"], [("--file", "v"), ("--file", "w")], [], []),
    "--file=v --file w": (["--file"], [("--file", "v"), ("--file", "w")], [], []),
    "--file=": (["--file"], [("--file", "")], [], []),
    "-c x": (["--color"], [], ["x"], []),
    "-cx": (["--color"], [("--color", "x")], [], []),
    "--color x --color=y": (["--color"], [("--color", "y")], ["x"], []),
    "--exc v": (["--exclude"], [("--exclude", "v")], [], []),
    "--al": (["--all"], [], [], []),
    "--fo": ([], [], [], ["--fo"]),  # --force or --format
    "--force": (["--force"], [], [], []),
    "x -a y": (["--all"], [], ["x", "y"], []),
    "x -- -a": ([], [], ["x", "-a"], []),
    "-- -f": ([], [], ["-f"], []),
    "-f -- x": (["--file"], [("--file", "--")], ["x"], []),
    "- -a": (["--all"], [], ["-"], []),
    "-z": ([], [], [], ["-z"]),
    "-az": (["--all"], [], [], ["-z"]),
    "--what": ([], [], [], ["--what"]),
}


@pytest.mark.parametrize("text", READ)
def test_reading(text: str) -> None:
    assert as_texts(parse(text)) == READ[text]


@pytest.mark.skipif(GETOPT is None, reason="there is no getopt here")
@pytest.mark.parametrize("text", [text for text in READ if not READ[text][3]])
def test_getopt_reads_it_alike(text: str) -> None:
    command = [GETOPT or "", "-o", "abf:c::x:", "-l", "all,file:,color::,force,format:,exclude:", "--", *shlex.split(text)]
    answer = subprocess.run(command, capture_output=True, text=True, env={"PATH": "/nonexistent"}, check=True).stdout
    words = shlex.split(answer)
    operands = words[words.index("--", _last_option(words)) + 1 :]
    assert [word.display_text for word in parse(text).operands] == operands
    names = {"-a": "--all", "-f": "--file", "-c": "--color", "-x": "--exclude"}
    assert {
        names.get(word, word) for word in words[: len(words) - len(operands)] if word.startswith("-") and word != "--"
    } >= set(parse(text).flags)


def _last_option(words: list[str]) -> int:
    """Returns the first possible position of the `--` of getopt itself: a value of `-f` may be one too."""
    return next((n + 2 for n, word in enumerate(words) if word == "-f" and words[n + 1 : n + 2] == ["--"]), 0)


def test_what_follows_the_first_operand_is_not_read_where_a_command_is_carried() -> None:
    read = parse("-a cmd -b x", stop=True)
    assert (sorted(read.flags), read.rest) == (["--all"], 2)
    assert parse("-a -- cmd -b", stop=True).rest == 3


HOLES = [
    ((Word((Hole(),), splits=True),), None),  # `$X` unquoted may be any option
    ((known_word("x"), Word((Hole(),))), None),  # a second word that is not known may be one
    ((Word((Hole(),)),), False),  # alone and quoted: the operand it needs
    ((Word(("./", Hole())),), False),
    ((Word((Hole("*", "*"), ".txt")),), False),  # a glob
    ((Word(("-", Hole())),), None),
    ((known_word("--"), Word((Hole(),), splits=True)), False),
]


@pytest.mark.parametrize(("words", "answer"), HOLES)
def test_holes(words: tuple[Word, ...], answer: bool | None) -> None:
    assert FLAGS.parse((known_word("p"), *words)).has_flag("--all") is answer


def test_a_hole_attached_to_an_option_is_its_value() -> None:
    read = FLAGS.parse((known_word("p"), Word(("-f", Hole(why="$X")))))
    assert [(name, word.display_text) for name, word in read.values] == [("--file", "$X")]
    read = FLAGS.parse((known_word("p"), Word(("--file=", Hole(why="$X")))))
    assert [(name, word.display_text) for name, word in read.values] == [("--file", "$X")]


def test_one_dash_and_several_letters() -> None:
    read = Flags("-auto-approve -chdir= -a").parse(
        tuple(map(known_word, ("p", "-chdir=x", "-auto-approve", "--auto-approve", "-a")))
    )
    assert sorted(read.flags) == ["-a", "-auto-approve", "-chdir"]
    assert [(name, word.display_text) for name, word in read.values] == [("-chdir", "x")]

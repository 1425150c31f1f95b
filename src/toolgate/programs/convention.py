"""How programs are told which file to write.

A program that nobody described names its output as most do: by `-o FILE` or `--output FILE`. That is a guess, and never sure.
"""

from collections.abc import Iterator

from toolgate.model.effect import Write
from toolgate.model.seen import Seen
from toolgate.model.word import Maybe, Word, known, unknown


def written(word: Word, is_folder: bool, seen: Seen, sure: Maybe = True) -> Write:
    whole = word + known("/") + unknown("what it makes", like="*") if is_folder else word
    origin = seen.origin if sure is True else seen.origin._replace(sure=sure)
    return Write(seen.place(whole), None, True, origin)


def named(argv: tuple[Word, ...], options: frozenset[str]) -> Iterator[tuple[Word, bool]]:
    """What is written by these options, and whether it is a folder. The value is the next word, or stands after a `=`; with `-o*`
    it may stand right behind the option, `--out-dir/` names a folder that something is written into."""
    for n, word in enumerate(argv[1:], 1):
        name, attached, value = word.partition("=")
        for option in (name.text or "", f"{name.text}*", f"{name.text}/"):
            if option in options:
                if attached:
                    yield value, option.endswith("/")
                elif n + 1 < len(argv):
                    yield argv[n + 1], option.endswith("/")
                break
        else:
            for option in options:
                if option.endswith("*") and word.starts(option[:-1]) is True and not attached:
                    yield word.cut(len(option) - 1), False


def written_by_git(argv: tuple[Word, ...], seen: Seen) -> Iterator[Write]:
    """`argv` begins with the subcommand."""
    for word, is_folder in named(argv, _OUTPUTS_OF_GIT.get(argv[0].text or "", frozenset())):
        yield written(word, is_folder, seen)


_OUTPUTS_OF_GIT = {
    **dict.fromkeys(("diff", "log", "show", "diff-tree", "whatchanged", "range-diff"), frozenset(("--output",))),
    "shortlog": frozenset(("--output",)),
    "archive": frozenset(("-o*", "--output")),
    "format-patch": frozenset(("-o/", "--output-directory/")),
    "bundle": frozenset(("create",)),
}
"""By subcommand: the options, or the word, before a file that it writes."""

_OUT = ("o", "out", "output", "dest", "destination", "save", "log", "report")
_KINDS = ("", "file", "dir", "path", "folder", "directory", "name", "to")


def written_by(argv: tuple[Word, ...], seen: Seen) -> Iterator[Write]:
    """What a program without a row may write: what its options name, and with one of `_IN_PLACE` the files it is given."""
    yield from _by_options(argv, seen)
    for word in _in_place(argv):
        if word.starts("-") is False and _is_like_a_file(word):
            yield written(word, False, seen, None)


def _in_place(argv: tuple[Word, ...]) -> tuple[Word, ...]:
    """The words that may be files to be changed. What stands behind a short option is its value sooner."""
    at = next((n for n, word in enumerate(argv) if word.text in _IN_PLACE), 0)
    if not at:
        return ()
    return argv[1:at] + argv[at + (2 if len(argv[at].text or "") == 2 else 1) :]


def _is_like_a_file(word: Word) -> bool:
    return word.contains("/") is not False or word.contains(".") is not False


def _by_options(argv: tuple[Word, ...], seen: Seen) -> Iterator[Write]:
    """A value without a dot or a slash is a format, or a column, sooner than a file."""
    for n, word in enumerate(argv[1:], 1):
        name, attached, value = word.partition("=")
        if not name.starts("-") or name.text is None:
            continue
        bare = name.text.lstrip("-").lower().replace("-", "").replace("_", "")
        if bare not in _NAMES and not bare.endswith("out"):
            continue
        if not attached:
            if n + 1 == len(argv) or argv[n + 1].starts("-") is True:
                continue
            value = argv[n + 1]
        if _is_like_a_file(value):
            yield written(value, bare.endswith(("dir", "folder", "directory")), seen, None)


_IN_PLACE = ("--in-place", "--inplace", "--write", "--overwrite", "--fix", "-i", "-I", "-w")
_NAMES = frozenset(f"{out}{kind}" for out in _OUT for kind in _KINDS)

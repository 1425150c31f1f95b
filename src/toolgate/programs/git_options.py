"""What stands between git and its subcommand."""

from functools import reduce

from toolgate.model.effect import Run
from toolgate.model.seen import Seen
from toolgate.model.word import Word, known

from .options import Flags, Given

TOP = Flags(
    "-C= -c= --git-dir= --work-tree= --namespace= --exec-path=? --config-env= --super-prefix= -p,--paginate -P,--no-pager --no-replace-objects --bare"
    " --no-optional-locks --literal-pathspecs --glob-pathspecs --noglob-pathspecs --icase-pathspecs --html-path --man-path --info-path -v,--version -h,--help"
)
_WITH_VALUE = ("-c", "--git-dir", "--work-tree", "--namespace", "--super-prefix", "--config-env")


def in_folders(argv: tuple[Word, ...], given: Given, seen: Seen) -> Run | None:
    """git where `-C` says; each is from the one before it on."""
    folders = list(given.all("-C"))
    return Run(_without_folders(argv, given.rest), seen.origin, "git -C", cwd=reduce(_beneath, folders)) if folders else None


def _without_folders(argv: tuple[Word, ...], rest: int) -> tuple[Word, ...]:
    """What git is told apart from where it is to run."""
    words, n = [argv[0]], 1
    while n < rest:
        width = 2 if argv[n].text in ("-C", *_WITH_VALUE) else 1
        words += argv[n : n + width] if argv[n].text != "-C" else ()
        n += width
    return (*words, *argv[rest:])


def _beneath(folder: Word, other: Word) -> Word:
    return other if other.starts("/") is True else folder + known("/") + other if other.parts else folder

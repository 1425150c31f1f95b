"""git's options before the subcommand."""

from functools import reduce

from toolgate.model.effect import Run
from toolgate.model.seen import Seen
from toolgate.model.word import Word, known

from .options import Flags, Given

TOP = Flags(
    "-C= -c= --git-dir= --work-tree= --namespace= --exec-path=? --config-env= --super-prefix= -p,--paginate -P,--no-pager --no-replace-objects --bare"
    " --no-optional-locks --literal-pathspecs --glob-pathspecs --noglob-pathspecs --icase-pathspecs --html-path --man-path --info-path -v,--version -h,--help"
)
_WITH_VALUE = ("-c", "--namespace", "--super-prefix", "--config-env")
_AS_VARIABLES = {"--git-dir": "GIT_DIR", "--work-tree": "GIT_WORK_TREE"}


def in_folders(argv: tuple[Word, ...], given: Given, seen: Seen) -> Run | None:
    """Run git in the folders of `-C`, each relative to the one before, with variables in place of the options for other
    folders."""
    folders = list(given.all("-C"))
    named = {_AS_VARIABLES[option]: value for option, value in given.values if option in _AS_VARIABLES}
    if not folders and not named:
        return None
    cwd = reduce(_beneath, folders) if folders else None
    return Run(_without_folders(argv, given.rest), seen.origin, "git", cwd=cwd, env=tuple(named.items()))


def _without_folders(argv: tuple[Word, ...], rest: int) -> tuple[Word, ...]:
    """Return argv without the options that say where git runs."""
    words, n = [argv[0]], 1
    while n < rest:
        name, attached, _ = argv[n].head.partition("=")
        is_folder = name == "-C" or (len(name) > len("--") and any(each.startswith(name) for each in _AS_VARIABLES))
        width = 2 if not attached and (is_folder or name in _WITH_VALUE) else 1
        words += () if is_folder else argv[n : n + width]
        n += width
    return (*words, *argv[rest:])


def _beneath(folder: Word, other: Word) -> Word:
    return other if other.starts("/") is True else folder + known("/") + other if other.parts else folder

"""git's options before the subcommand."""

from functools import reduce

from toolgate.model.effect import Carrier, Run
from toolgate.model.execution_context import ExecutionContext
from toolgate.model.word import Word, known_word
from toolgate.programs.argv.options import Flags, ParsedOptions

GLOBAL_OPTIONS = Flags(
    "-C= -c= --git-dir= --work-tree= --namespace= --exec-path=? --config-env= --super-prefix= -p,--paginate -P,--no-pager --no-replace-objects --bare"
    " --no-optional-locks --literal-pathspecs --glob-pathspecs --noglob-pathspecs --icase-pathspecs --html-path --man-path --info-path -v,--version -h,--help"
)
_OPTIONS_WITH_VALUE = ("-c", "--namespace", "--super-prefix", "--config-env")
_VARIABLES_OF_OPTIONS = {"--git-dir": "GIT_DIR", "--work-tree": "GIT_WORK_TREE"}


def run_in_named_folders(argv: tuple[Word, ...], options: ParsedOptions, context: ExecutionContext) -> Run | None:
    """Runs git in the folders of `-C`, each relative to the one before, with variables in place of the options for other
    folders."""
    folders = list(options.values_of("-C"))
    named = {_VARIABLES_OF_OPTIONS[option]: value for option, value in options.values if option in _VARIABLES_OF_OPTIONS}
    if not folders and not named:
        return None
    cwd = reduce(_join_folder, folders) if folders else None
    return Run(_drop_folder_options(argv, options.rest), context.origin, Carrier("git"), cwd=cwd, env=tuple(named.items()))


def _drop_folder_options(argv: tuple[Word, ...], rest: int) -> tuple[Word, ...]:
    """Returns argv without the options that say where git runs."""
    words, n = [argv[0]], 1
    while n < rest:
        name, attached, _ = argv[n].head.partition("=")
        is_folder = name == "-C" or (len(name) > len("--") and any(each.startswith(name) for each in _VARIABLES_OF_OPTIONS))
        width = 2 if not attached and (is_folder or name in _OPTIONS_WITH_VALUE) else 1
        words += () if is_folder else argv[n : n + width]
        n += width
    return (*words, *argv[rest:])


def _join_folder(folder: Word, other: Word) -> Word:
    return other if other.starts_with("/") is True else folder + known_word("/") + other if other.parts else folder

"""Programs that clean up: folders by the age of their files, and applications by name."""

from collections.abc import Iterator

from toolgate.model.effect import Delete, ReportedEffect
from toolgate.model.execution_context import ExecutionContext
from toolgate.model.word import Word, known_word
from toolgate.programs.argv.options import Flags
from toolgate.programs.argv.program import Program

_AGED_FILES = Flags(
    "-t,--test -v,--verbose -a,--all -f,--force -m,--mtime -u,--atime -c,--ctime -s,--fuser -q,--quiet -d,--nodirs --dirmtime -M"
    " -X= -x,--exclude= -U= -l -T,--runtime= --protect= --showdeleted --delay= --symlinks --mtime-dir -h,--help --version"
)
_CLEANER = Flags(
    "-c,--clean -d,--delete --preset -p,--preview -l,--list-cleaners -o,--overwrite -s,--shred -w,--wipe-free-space --all-but-warning"
)
_FOLDERS_OF_APPLICATIONS = {
    "firefox": ".mozilla/firefox",
    "librewolf": ".librewolf",
    "chromium": ".config/chromium",
    "google_chrome": ".config/google-chrome",
    "brave": ".config/BraveSoftware",
    "vivaldi": ".config/vivaldi",
    "opera": ".config/opera",
    "thunderbird": ".thunderbird",
}
"""By BleachBit's name of an application: the folder of its data, below the home folder."""


def delete_aged_files(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    """`tmpreaper 7d FOLDER`, `tmpwatch 168 FOLDER`: an age, then the folders that lose their older files."""
    options = _AGED_FILES.parse(argv)
    if options.has_flag("--test", "--help", "--version") is not True:
        for folder in options.operands[1:]:
            yield Delete(context.resolve_place(folder), True, context.origin)


def bleachbit(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    """`bleachbit --clean firefox.*`: an application's cache, or with it cookies, passwords and history."""
    options = _CLEANER.parse(argv)
    if options.has_flag("--shred") is True:
        yield from (Delete(context.resolve_place(word), True, context.origin) for word in options.operands)
    elif options.has_flag("--clean", "--delete") is True:
        for word in options.operands:
            application, _, part = word.partition(".")
            folder = _FOLDERS_OF_APPLICATIONS.get(application.text or "")
            if folder is not None and part.text not in ("cache", "vacuum"):
                yield Delete(context.resolve_place(known_word(f"{context.home}/{folder}")), True, context.origin)


ROWS: dict[str, Program] = {
    **dict.fromkeys(("tmpreaper", "tmpwatch"), Program(does=delete_aged_files)),
    "bleachbit": Program(does=bleachbit),
}

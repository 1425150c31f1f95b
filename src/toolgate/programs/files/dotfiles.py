"""Managers of the home folder's settings: what they fetch replaces the files that run at every login."""

from collections.abc import Iterator

from toolgate.model.effect import Connect, PrintedOutput, ReportedEffect, Write
from toolgate.model.execution_context import ExecutionContext
from toolgate.model.word import Word, known_word
from toolgate.programs.argv.program import INFORMATION_OPTIONS, Program, program_name

_FETCHING: dict[str, tuple[str, str]] = {
    "chezmoi": ("init", "--apply"),
    "yadm": ("clone", ""),
    "vcsh": ("clone", ""),
    "homesick": ("clone", ""),
    "homeshick": ("clone", ""),
}
"""By program, the subcommand that fetches a repository, and the option with which it also puts the files in place."""


def fetch_dotfiles(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    verb, option = _FETCHING[argv[0].file_name]
    texts = [word.text or "" for word in argv[1:]]
    sources = [word for word in argv[1:] if word.starts_with("-") is not True and word.text != verb]
    if (
        not any(option in texts for option in INFORMATION_OPTIONS)
        and verb in texts[:1]
        and (not option or option in texts)
        and sources
    ):
        yield Connect(sources[-1], context.origin)
        fetched = context.unknown_output(f"what {program_name(argv)} fetches")
        yield Write(context.resolve_place(known_word(f"{context.home}/.profile")), fetched, False, context.origin)
    yield PrintedOutput(context.unknown_output(program_name(argv)))


def install_entries(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    """desktop-file-install: entries of the desktop, written to the folder of `--dir`."""
    folders = [value for word in argv[1:] for option, _, value in (word.partition("="),) if option.text == "--dir"]
    for file in (word for word in argv[1:] if word.tail.endswith(".desktop")):
        for folder in folders:
            name = known_word(f"/{file.file_name}")
            yield Write(context.resolve_place(folder + name), context.read(file), False, context.origin)


ROWS: dict[str, Program] = {
    **dict.fromkeys(_FETCHING, Program(does=fetch_dotfiles)),
    "desktop-file-install": Program(does=install_entries),
}

"""What git passes on to others: pushes, messages, and output of the whole repository."""

from collections.abc import Iterator

from toolgate.model.effect import Operation, Read, ReportedEffect, Send
from toolgate.model.execution_context import ExecutionContext
from toolgate.model.word import Word, join_words, known_word
from toolgate.programs.argv.options import ParsedOptions


def send_to_others(options: ParsedOptions, argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    """Yields what a subcommand passes on; `argv` begins with the subcommand."""
    does = _SHARING_HANDLERS.get(argv[0].text or "")
    if does is not None:
        yield from does(options, argv, context)


def _push(options: ParsedOptions, _argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    if options.has_flag("--dry-run") is not True:
        remote = options.value_of("--repo") or (options.operands[0] if options.operands else known_word("origin"))
        yield Operation("git.send", context.origin, remote)


def remote(options: ParsedOptions, _argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    """`git remote add NAME URL`, `git remote set-url NAME URL`."""
    words = [word for word in options.operands if word.starts_with("-") is not True]
    if len(words) > 2 and words[0].text in ("add", "set-url"):
        yield Operation("git.remote", context.origin, words[1] + known_word(" ") + words[2])


def _send_message(options: ParsedOptions, _argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    texts = list(options.values_of("--message", "--trailer"))
    if texts:
        yield Send(known_word("whoever has the repository"), join_words(texts, "\n"), "commit", context.origin)


def read_paths(options: ParsedOptions, argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    """`git log -p -- FILE` shows what a file contained in every commit; `git hash-object -w FILE` puts it into the repository."""
    if argv[0].text == "grep":
        yield from (Read(context.resolve_place(word), context.origin) for word in options.operands[1:])
    shows = argv[0].text != "log" or not {"-p", "-u", "--patch"}.isdisjoint(word.text for word in argv)
    if shows and argv[0].text in ("log", "hash-object"):
        at = next((n for n, word in enumerate(argv) if word.text == "--"), 0)
        paths = argv[at + 1 :] if at else options.operands
        yield from (
            Read(context.resolve_place(word), context.origin) for word in paths if word.text and not word.text.startswith("-")
        )


_SHARING_HANDLERS = {
    "push": _push,
    "commit": _send_message,
    "tag": _send_message,
    "notes": _send_message,
    "log": read_paths,
    "grep": read_paths,
    "hash-object": read_paths,
    "remote": remote,
}

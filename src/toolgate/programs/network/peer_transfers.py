"""Programs that send files to whoever knows a code or an address: croc, magic-wormhole, ffsend."""

from collections.abc import Iterator

from toolgate.model.effect import Connect, Read, ReportedEffect
from toolgate.model.execution_context import ExecutionContext
from toolgate.model.word import Word, known_word
from toolgate.programs.argv.program import Program, program_name

_SENDING_VERBS = ("send", "tx", "upload", "up")


def send_to_peer(argv: tuple[Word, ...], seen: ExecutionContext) -> Iterator[ReportedEffect]:
    """`croc [OPTIONS] send [OPTIONS] FILE..`"""
    words = [word for word in argv[1:] if word.starts_with("-") is not True]
    at = next((n for n, word in enumerate(words) if word.text in _SENDING_VERBS), None)
    for file in words[at + 1 :] if at is not None else ():
        yield Read(seen.resolve_place(file), seen.origin, True)
        yield Connect(known_word(f"{program_name(argv)}.relay"), seen.origin, seen.read(file))


ROWS: dict[str, Program] = dict.fromkeys(("croc", "wormhole", "magic-wormhole", "ffsend"), Program(does=send_to_peer))

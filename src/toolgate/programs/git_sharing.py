"""What git passes on to others: pushes, messages, and output of the whole repository."""

from collections.abc import Iterator

from toolgate.model.effect import Operation, Read, Reported, Send
from toolgate.model.seen import Seen
from toolgate.model.word import Word, joined, known

from .options import Given


def share(given: Given, argv: tuple[Word, ...], seen: Seen) -> Iterator[Reported]:
    """Yield what a subcommand passes on; `argv` begins with the subcommand."""
    does = _SHARES.get(argv[0].text or "")
    if does is not None:
        yield from does(given, argv, seen)


def _push(given: Given, _argv: tuple[Word, ...], seen: Seen) -> Iterator[Reported]:
    if given.flag("--dry-run") is not True:
        remote = given.value("--repo") or (given.operands[0] if given.operands else known("origin"))
        yield Operation("git.send", seen.origin, remote)


def remote(given: Given, _argv: tuple[Word, ...], seen: Seen) -> Iterator[Reported]:
    """`git remote add NAME URL`, `git remote set-url NAME URL`."""
    words = [word for word in given.operands if word.starts("-") is not True]
    if len(words) > 2 and words[0].text in ("add", "set-url"):
        yield Operation("git.remote", seen.origin, words[1] + known(" ") + words[2])


def _message(given: Given, _argv: tuple[Word, ...], seen: Seen) -> Iterator[Reported]:
    texts = list(given.all("--message", "--trailer"))
    if texts:
        yield Send(known("whoever has the repository"), joined(texts, "\n"), "commit", seen.origin)


def read_paths(given: Given, argv: tuple[Word, ...], seen: Seen) -> Iterator[Reported]:
    """`git log -p -- FILE` shows what a file contained in every commit; `git hash-object -w FILE` puts it into the repository."""
    if argv[0].text == "grep":
        yield from (Read(seen.place(word), seen.origin) for word in given.operands[1:])
    shows = argv[0].text != "log" or not {"-p", "-u", "--patch"}.isdisjoint(word.text for word in argv)
    if shows and argv[0].text in ("log", "hash-object"):
        at = next((n for n, word in enumerate(argv) if word.text == "--"), 0)
        paths = argv[at + 1 :] if at else given.operands
        yield from (Read(seen.place(word), seen.origin) for word in paths if word.text and not word.text.startswith("-"))


_SHARES = {
    "push": _push,
    "commit": _message,
    "tag": _message,
    "notes": _message,
    "log": read_paths,
    "grep": read_paths,
    "hash-object": read_paths,
    "remote": remote,
}

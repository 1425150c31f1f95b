"""Patches: the files they change, and the lines they add."""

from collections.abc import Iterator

from toolgate.model.action import Replacement
from toolgate.model.effect import Delete, Move, Read, Reported, Write
from toolgate.model.seen import Seen
from toolgate.model.word import EMPTY, Word, joined, known

from .options import Flags, Given
from .program import INFORMATION, Program

MOST_FILES = 200


def applied(patch: Word, seen: Seen, strip: int, base: Word | None = None) -> Iterator[Reported]:
    """Write each file of a known patch; an unknown patch writes something here. `strip`: the number of leading names dropped."""
    files = dict(_files(patch.text, strip)) if patch.text is not None else {}
    for path, lines in list(files.items())[:MOST_FILES]:
        added = _added(lines).from_commands(patch.src)
        yield Write(seen.place(known(path), base=base), added, None, seen.origin, tuple(_edits(lines)))
    if not files or len(files) > MOST_FILES:
        yield Write(seen.place(known("."), base=base), patch, None, seen.origin)


def _files(text: str, strip: int) -> Iterator[tuple[str, list[str]]]:
    lines: list[str] = []
    for line in text.splitlines():
        if line.startswith("+++ "):
            path = line[4:].partition("\t")[0].strip().strip('"')
            names = path.split("/")
            lines = []
            if path != "/dev/null":
                yield "/".join(names[strip:]) if not path.startswith("/") and len(names) > strip else path, lines
        elif line.startswith(("--- ", "diff ", "index ")):
            lines = []
        else:
            lines.append(line)


def _added(lines: list[str]) -> Word:
    return known("\n".join(line[1:] for line in lines if line.startswith("+")))


def _edits(lines: list[str]) -> Iterator[Replacement]:
    """Return each hunk as a replacement of its kept and removed lines by its kept and added ones."""
    old: list[str] = []
    new: list[str] = []
    for line in [*lines, "@@"]:
        if line.startswith(("@@", "***")):
            if old != new:
                yield Replacement("\n".join(old), "\n".join(new))
            old, new = [], []
        elif not line.startswith("\\"):  # "No newline at end of file"
            kind, text = line[:1], line[1:]
            old += [] if kind == "+" else [text]
            new += [] if kind == "-" else [text]


def apply(given: Given, _argv: tuple[Word, ...], seen: Seen) -> Iterator[Reported]:
    """`git apply`, `git am`."""
    if given.flag("--check", "--stat", "--numstat", "--summary", "--abort", "--skip", "--quit") is True:
        return
    strip = (given.value("-p") or known("1")).text or ""
    for word in given.operands:
        yield Read(seen.place(word), seen.origin)
    content = joined([seen.read(word) for word in given.operands], "\n") if given.operands else seen.stdin
    yield from applied(content, seen, int(strip) if strip.isdigit() else 1, given.value("--directory"))


APPLY = (
    "-p= --check --stat --numstat --summary --index --cached --intent-to-add -3,--3way -R,--reverse --reject -z --whitespace= --directory="
    " --include= --exclude= --recount --unidiff-zero -C= --allow-empty --abort --skip --quit --continue -s,--signoff -k,--keep"
)
PATCH = Flags(
    "-p,--strip= -i,--input= -d,--directory= -o,--output= -R,--reverse -N,--forward -f,--force -t,--batch -b,--backup -E -l -s,--silent"
    " -u,--unified -c -n --dry-run -F,--fuzz= -r,--reject-file= -z,--suffix= -V= --verbose --binary --help -v,--version"
)


def patch(argv: tuple[Word, ...], seen: Seen) -> Iterator[Reported]:
    given = PATCH.read(argv)
    if given.flag("--dry-run", *INFORMATION) is True:
        return
    source = given.value("--input") or (given.operands[1] if len(given.operands) > 1 else None)
    if source is not None:
        yield Read(seen.place(source), seen.origin)
    content = seen.stdin if source is None else seen.read(source)
    strip = (given.value("--strip") or EMPTY).text or ""
    if given.operands:
        yield Write(seen.place(given.operands[0]), content, None, seen.origin)
    else:
        yield from applied(content, seen, int(strip) if strip.isdigit() else 0, given.value("--directory"))


def apply_patch(argv: tuple[Word, ...], seen: Seen) -> Iterator[Reported]:
    """The coding agents' own format, as an argument or on standard input: each file with its change."""
    text = argv[1] if len(argv) > 1 else seen.stdin
    named = list(_sections(text.text or ""))
    for what, path, lines in named[:MOST_FILES]:
        place = seen.place(known(path))
        match what:
            case "Delete File":
                yield Delete(place, False, seen.origin)
            case "Move to":
                yield Move(seen.place(known(lines[0])), place, seen.origin)
            case _:
                added, edits = _added(lines).from_commands(text.src), tuple(_edits(lines))
                updates = what == "Update File"
                yield Write(place, added, None if updates else False, seen.origin, edits if updates else ())
    if not named or len(named) > MOST_FILES:
        yield Write(seen.place(known(".")), text, None, seen.origin)


def _sections(text: str) -> Iterator[tuple[str, str, list[str]]]:
    """Yield the action, the file and the following lines; for a moved file, its old name."""
    path, lines = "", [""]
    for line in text.splitlines():
        what, colon, name = line.removeprefix("*** ").partition(": ")
        if line.startswith("*** ") and colon and what in ("Add File", "Update File", "Delete File"):
            path, lines = name.strip(), []
            yield what, path, lines
        elif line.startswith("*** ") and colon and what == "Move to":
            yield what, name.strip(), [path]
        else:
            lines.append(line)


ROWS: dict[str, Program] = {"patch": Program(does=patch), "apply_patch": Program(does=apply_patch)}

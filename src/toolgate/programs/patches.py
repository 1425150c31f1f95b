"""Patches: which files they change, and what they add to them, the patch itself says."""

from collections.abc import Iterator

from toolgate.model.effect import Read, Reported, Write
from toolgate.model.seen import Seen
from toolgate.model.word import EMPTY, Word, joined, known

from .options import Flags, Given
from .program import INFORMATION, Program

MOST_FILES = 200


def applied(patch: Word, seen: Seen, strip: int, base: Word | None = None) -> Iterator[Reported]:
    """A file each of a patch that is known; of any other, something here is written. `strip`: how many leading names are left out."""
    files = dict(_files(patch.text, strip)) if patch.text is not None else {}
    for path, added in list(files.items())[:MOST_FILES]:
        yield Write(seen.place(known(path), base=base), known("\n".join(added)).from_commands(patch.src), None, seen.origin)
    if not files or len(files) > MOST_FILES:
        yield Write(seen.place(known("."), base=base), patch, None, seen.origin)


def _files(text: str, strip: int) -> Iterator[tuple[str, list[str]]]:
    added: list[str] = []
    for line in text.splitlines():
        if line.startswith("+++ "):
            path = line[4:].partition("\t")[0].strip().strip('"')
            names = path.split("/")
            added = []
            if path != "/dev/null":
                yield "/".join(names[strip:]) if not path.startswith("/") and len(names) > strip else path, added
        elif line.startswith("+"):
            added.append(line[1:])


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


ROWS: dict[str, Program] = {"patch": Program(does=patch)}

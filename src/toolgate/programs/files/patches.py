"""Patches: the files they change, and the lines they add."""

from collections.abc import Iterator

from toolgate.model.action import Replacement
from toolgate.model.effect import Delete, Move, Read, ReportedEffect, Write
from toolgate.model.execution_context import ExecutionContext
from toolgate.model.unread_code import opaque_for_unread
from toolgate.model.word import EMPTY, Word, join_words, known_word
from toolgate.programs.argv.options import Flags, ParsedOptions
from toolgate.programs.argv.program import INFORMATION_OPTIONS, Program

MAX_FILES = 400
_TOO_MANY = f"it changes more than {MAX_FILES} files"


def apply_patch_text(patch: Word, context: ExecutionContext, strip: int, base: Word | None = None) -> Iterator[ReportedEffect]:
    """Writes each file of a known patch; an unknown patch writes something here. `strip`: the number of leading names dropped."""
    files = dict(_split_files(patch.text, strip)) if patch.text is not None else {}
    for path, lines in list(files.items())[:MAX_FILES]:
        added = _added_text(lines).from_commands(patch.src)
        yield Write(
            context.resolve_place(known_word(path), base=base), added, None, context.origin, tuple(_iter_replacements(lines))
        )
    if len(files) > MAX_FILES:
        yield opaque_for_unread("a patch", _TOO_MANY, context.origin)
    if not files:
        yield Write(context.resolve_place(known_word("."), base=base), patch, None, context.origin)


def _split_files(text: str, strip: int) -> Iterator[tuple[str, list[str]]]:
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


def _added_text(lines: list[str]) -> Word:
    return known_word("\n".join(line[1:] for line in lines if line.startswith("+")))


def _iter_replacements(lines: list[str]) -> Iterator[Replacement]:
    """Returns each hunk as a replacement of its kept and removed lines by its kept and added ones."""
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


def git_apply(options: ParsedOptions, _argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    """`git apply`, `git am`."""
    if options.has_flag("--check", "--stat", "--numstat", "--summary", "--abort", "--skip", "--quit") is True:
        return
    strip = (options.value_of("-p") or known_word("1")).text or ""
    for word in options.operands:
        yield Read(context.resolve_place(word), context.origin)
    content = join_words([context.read(word) for word in options.operands], "\n") if options.operands else context.stdin
    yield from apply_patch_text(content, context, int(strip) if strip.isdigit() else 1, options.value_of("--directory"))


APPLY_OPTIONS = (
    "-p= --check --stat --numstat --summary --index --cached --intent-to-add -3,--3way -R,--reverse --reject -z --whitespace= --directory="
    " --include= --exclude= --recount --unidiff-zero -C= --allow-empty --abort --skip --quit --continue -s,--signoff -k,--keep"
)
PATCH = Flags(
    "-p,--strip= -i,--input= -d,--directory= -o,--output= -R,--reverse -N,--forward -f,--force -t,--batch -b,--backup -E -l -s,--silent"
    " -u,--unified -c -n --dry-run -F,--fuzz= -r,--reject-file= -z,--suffix= -V= --verbose --binary --help -v,--version"
)


def patch(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    options = PATCH.parse(argv)
    if options.has_flag("--dry-run", *INFORMATION_OPTIONS) is True:
        return
    source = options.value_of("--input") or (options.operands[1] if len(options.operands) > 1 else None)
    if source is not None:
        yield Read(context.resolve_place(source), context.origin)
    content = context.stdin if source is None else context.read(source)
    strip = (options.value_of("--strip") or EMPTY).text or ""
    if options.operands:
        yield Write(context.resolve_place(options.operands[0]), content, None, context.origin)
    else:
        yield from apply_patch_text(content, context, int(strip) if strip.isdigit() else 0, options.value_of("--directory"))


def apply_patch(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    """The coding agents' own format, as an argument or on standard input: each file with its change."""
    text = argv[1] if len(argv) > 1 else context.stdin
    named = list(_iter_sections(text.text or ""))
    for what, path, lines in named[:MAX_FILES]:
        place = context.resolve_place(known_word(path))
        match what:
            case "Delete File":
                yield Delete(place, False, context.origin)
            case "Move to":
                yield Move(context.resolve_place(known_word(lines[0])), place, context.origin)
            case _:
                added, edits = _added_text(lines).from_commands(text.src), tuple(_iter_replacements(lines))
                updates = what == "Update File"
                yield Write(place, added, None if updates else False, context.origin, edits if updates else ())
    if len(named) > MAX_FILES:
        yield opaque_for_unread("a patch", _TOO_MANY, context.origin)
    if not named:
        yield Write(context.resolve_place(known_word(".")), text, None, context.origin)


def _iter_sections(text: str) -> Iterator[tuple[str, str, list[str]]]:
    """Yields the action, the file and the following lines; for a moved file, its old name."""
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

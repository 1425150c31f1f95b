"""Archives and split files: packing, unpacking, and the programs that their options run."""

from collections.abc import Iterator
from itertools import islice

from toolgate.model.effect import Carrier, Delete, Interpret, Opaque, Operation, PrintedOutput, Read, ReportedEffect, Write
from toolgate.model.execution_context import ExecutionContext
from toolgate.model.word import NO_SOURCES, Hole, Word, known_word, unknown_word
from toolgate.programs.argv.options import Flags
from toolgate.programs.argv.program import Program, program_name

TAR = Flags(
    "-c,--create -x,--extract,--get -t,--list -r,--append -u,--update -A -d --delete -f,--file= -C,--directory= -z,--gzip -j,--bzip2 -J,--xz --zstd -a,--auto-compress"
    " -v,--verbose -p,--preserve-permissions -k,--keep-old-files --overwrite -h,--dereference -O,--to-stdout -P,--absolute-names -I,--use-compress-program="
    " --to-command= --checkpoint=? --checkpoint-action= --rsh-command= -F,--info-script= --remove-files --recursive-unlink -T,--files-from=read -X,--exclude-from=read"
    " --exclude= --strip-components= --transform= --xform= --owner= --group= --mode= --wildcards --no-same-owner -m -w -W -S -s -U --exclude-vcs -n --totals -b= -g= --warning="
    " --one-top-level=? --no-xattrs --format= -L= --sort= --mtime= --numeric-owner -H= --version --help"
)
_COMMAND_OPTIONS = ("--use-compress-program", "--to-command", "--rsh-command", "--info-script")


def tar(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    options = TAR.parse(_expand_bundled_letters(argv))
    for name, value in options.values:
        if name in _COMMAND_OPTIONS:
            yield Interpret("shell", value, context.origin, via=Carrier("tar", name))
        elif name == "--checkpoint-action" and value.starts_with("exec=") is True:
            yield Interpret("shell", value.drop_first(5), context.origin, via=Carrier("tar", "--checkpoint-action"))
    folder = options.value_of("--directory")
    archive = options.value_of("--file")
    if options.has_flag("--create", "--append", "--update") is True:
        listed = options.value_of("--files-from")
        names = list(_read_listed_names(context)) if listed is not None and listed.text in ("-", "/dev/stdin") else []
        yield from _pack_members(
            [*options.operands, *names], folder, archive, removes=options.has_flag("--remove-files") is True, context=context
        )
    elif options.has_flag("--get") is True:
        content = _unpacked_content(archive, context)
        if archive is not None and archive.text != "-":
            yield Read(context.resolve_place(archive), context.origin)
        if options.has_flag("--to-stdout") is True:
            yield from _read_members(options.operands, context)
            yield Operation("text.decode", context.origin)
            yield PrintedOutput(content)
        else:
            if options.has_flag("--absolute-names") is not False:
                yield Opaque("`tar -P` unpacks wherever the names in the archive say", context.origin)
            yield from _unpack_into(options.value_of("--one-top-level") or folder or known_word("."), content, context)
    elif archive is not None:
        yield Read(context.resolve_place(archive), context.origin)
        yield PrintedOutput(context.unknown_output("tar -t"))


def _read_members(members: list[Word], context: ExecutionContext) -> Iterator[Read]:
    """Yields the members of an archive that are printed, as the files that they are copies of: `home/u/.netrc`, `.env`."""
    for member in members:
        path = member if member.starts_with("/") is True else known_word("/") + member
        yield Read(context.resolve_place(path), context.origin)


def _unpack_into(target: Word, content: Word, context: ExecutionContext) -> Iterator[ReportedEffect]:
    yield Write(context.resolve_place(target), None, True, context.origin, tree=True)
    context.record_folder_contents(target, content)


def _expand_bundled_letters(argv: tuple[Word, ...]) -> tuple[Word, ...]:
    """Expands `tar xzf a.tgz` to `tar -x -z -f a.tgz`: each letter with a value takes the next word."""
    if len(argv) < 2 or (text := argv[1].text) is None or text.startswith("-"):
        return argv
    rest, words = list(argv[2:]), [argv[0]]
    for letter in text:
        words.append(known_word(f"-{letter}"))
        if letter in "fCbTXgLFHI" and rest:
            words.append(rest.pop(0))
    return (*words, *rest)


def _pack_members(
    members: list[Word], folder: Word | None, archive: Word | None, *, removes: bool, context: ExecutionContext
) -> Iterator[ReportedEffect]:
    sources = context.unknown_output("tar").src
    for member in members:
        path = member if folder is None or member.starts_with("/") is True else folder + known_word("/") + member
        yield Read(context.resolve_place(path), context.origin, tree=True)
        sources |= context.read(path).src
        if removes:
            yield Delete(context.resolve_place(path, follow=False), True, context.origin)
    packed = context.unknown_output("an archive").from_commands(sources)
    if archive is None or archive.text == "-":
        yield PrintedOutput(packed)
    else:
        yield Write(context.resolve_place(archive), packed, False, context.origin)
        yield PrintedOutput(known_word(""))


def _unpacked_content(archive: Word | None, context: ExecutionContext) -> Word:
    sources = context.stdin.src if archive is None or archive.text == "-" else context.read(archive).src
    return context.unknown_output("the content of the archive").from_commands(sources)


def unzip(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    options = Flags("-d= -o -n -q -j -l -p -t -v -u -f -x= -P= -a -C -L -K -X -Z").parse(argv)
    if not options.operands:
        return
    archive = options.operands[0]
    yield Read(context.resolve_place(archive), context.origin)
    content = _unpacked_content(archive, context)
    if options.has_flag("-p", "-l", "-t", "-v", "-Z") is True:
        if options.has_flag("-p") is True:
            yield from _read_members(options.operands[1:], context)
            yield Operation("text.decode", context.origin)
        yield PrintedOutput(content)
        return
    yield from _unpack_into(options.value_of("-d") or known_word("."), content, context)


def zipfile_or_tarfile(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    """`python -m zipfile -e ARCHIVE FOLDER`, `python -m tarfile -e ARCHIVE [FOLDER]`; `-c` packs."""
    options = Flags("-e,--extract -c,--create -l,--list -t,--test -v,--verbose --filter= --metadata-encoding=").parse(argv)
    archive, *rest = options.operands or [known_word("")]
    if options.has_flag("--create") is True:
        yield from _pack_members(rest, None, archive, removes=False, context=context)
        return
    yield Read(context.resolve_place(archive), context.origin)
    content = _unpacked_content(archive, context)
    if options.has_flag("--extract") is True:
        yield from _unpack_into(rest[0] if rest else known_word("."), content, context)
    else:
        yield PrintedOutput(content)


def unpack_with_verb(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    """`7z x ARCHIVE -oFOLDER`, `unrar x ARCHIVE [FOLDER]`: verbs other than `x` and `e` pack, list or test."""
    verb = argv[1].text if len(argv) > 1 else None
    operands = [word for word in argv[2:] if word.starts_with("-") is False]
    if verb not in ("x", "e") or any(word.text == "-so" for word in argv[1:]):
        yield from pack_archive(argv, context)
        return
    folders = [word.drop_first(2) for word in argv[2:] if word.starts_with("-o") is True]
    if not folders and program_name(argv) in ("rar", "unrar") and len(operands) > 1:
        folders = operands[-1:]
    for archive in operands[:1]:
        yield Read(context.resolve_place(archive), context.origin)
        yield from _unpack_into(folders[0] if folders else known_word("."), _unpacked_content(archive, context), context)


UNPACKERS = {
    "unar": Flags("-o,--output-directory= -f,--force-overwrite -r -s -d,--force-directory -D,--no-directory -p= -e= -q"),
    "cabextract": Flags("-d,--output-directory= -f -F= -h -l -L -n -p -q -s -t -v"),
    "jar": Flags("-x,--extract -f,--file= -C,--output-directory= -v -c -u -t -i --dir= --list --create --update"),
}


def unpack_all(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    """Programs that only unpack, into the folder of an option; also `jar x`, whose letters need no dash."""
    name = program_name(argv)
    options = UNPACKERS[name].parse(_expand_bundled_letters(argv) if name == "jar" else argv)
    if name == "jar" and options.has_flag("--extract") is not True:
        yield PrintedOutput(context.unknown_output(name))
        return
    archive = options.value_of("--file") or (options.operands[0] if options.operands else None)
    if archive is not None:
        yield Read(context.resolve_place(archive), context.origin)
    yield from _unpack_into(
        options.value_of("--output-directory") or known_word("."), _unpacked_content(archive, context), context
    )


def pack_archive(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    """zip, 7z a, rar a: the first operand is the archive."""
    options = Flags("-r -q -9 -0 -1 -j -m -u -d -x= -i= -P= -e -y -o -v -T -TT,--unzip-command= -b= -s= -t= -tt= -@").parse(argv)
    for code in options.values_of("--unzip-command"):
        yield Interpret("shell", code, context.origin, via=Carrier("zip", "-TT"))
    if any(word.text == "-so" for word in argv[1:]):  # 7z: to standard output
        yield from (Read(context.resolve_place(word), context.origin) for word in options.operands[1:2])
        yield from _read_members(options.operands[2:], context)
        yield Operation("text.decode", context.origin)
        yield PrintedOutput(context.unknown_output("the content of the archive"))
        return
    operands = options.operands[1:] if program_name(argv) in ("7z", "7za", "rar") else options.operands
    sources = context.unknown_output("zip").src
    recursive = program_name(argv) != "zip" or options.has_flag("-r") is not False
    for member in operands[1:]:
        yield Read(context.resolve_place(member), context.origin, recursive)
        sources |= context.read(member).src
        if options.has_flag("-m") is True or any(word.text in ("-sdel", "-df") for word in argv[1:]):
            yield Delete(context.resolve_place(member, follow=False), True, context.origin)
    for archive in operands[:1]:
        packed = context.unknown_output("an archive").from_commands(sources)
        if archive.text == "-":
            yield PrintedOutput(packed)
        else:
            yield Write(context.resolve_place(archive), packed, False, context.origin)


def _read_listed_names(context: ExecutionContext) -> Iterator[Word]:
    """Yields the first names of files on standard input, a line each."""
    return (name for name in islice(context.stdin.split_lines(), _MAX_NAMES) if name.parts)


def cpio(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    options = Flags(
        "-i,--extract -o,--create -p,--pass-through -0,--null -d -m -u -v -t -F= -I=read -O=write -D= -H= -E= -R= --no-absolute-filenames --rsh-command="
    ).parse(argv)
    for code in options.values_of("--rsh-command"):
        yield Interpret("shell", code, context.origin, via=Carrier("cpio", "--rsh-command"))
    if options.has_flag("--extract") is True:
        yield Write(context.resolve_place(options.value_of("-D") or known_word(".")), None, True, context.origin, tree=True)
    else:
        if options.has_flag("--pass-through") is True:
            for folder in options.operands[:1]:
                yield Write(context.resolve_place(folder), None, True, context.origin, tree=True)
        yield from (Read(context.resolve_place(name), context.origin) for name in _read_listed_names(context))
    yield PrintedOutput(context.unknown_output("cpio").from_commands(context.stdin.src or NO_SOURCES))


_MAX_NAMES = 200  # of files that are read from standard input


SPLIT = Flags(
    "-a,--suffix-length= --additional-suffix= -b,--bytes= -C,--line-bytes= -d --numeric-suffixes=? -x --hex-suffixes=? -e,--elide-empty-files --filter= -l,--lines="
    " -n,--number= -t,--separator= -u,--unbuffered --verbose -p= --help --version"
)
CSPLIT = Flags(
    "-b,--suffix-format= -f,--prefix= -k,--keep-files --suppress-matched -n,--digits= -s,-q,--quiet,--silent -z,--elide-empty-files --help --version"
)


def split(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    """The names of the pieces begin with the second operand; `--filter` is shell code that each piece is piped to."""
    options = SPLIT.parse(argv)
    if options.has_flag("--help", "--version") is not True:
        for code in options.values_of("--filter"):
            yield Interpret("shell", code, context.origin, via=Carrier("split", "--filter"))
        prefix = options.operands[1] if len(options.operands) > 1 else known_word("x")
        first = "00" if options.has_flag("-d", "--numeric-suffixes", "--hex-suffixes") is True else "aa"
        yield from _write_pieces(options.operands[:1], prefix, first, context)


def csplit(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    options = CSPLIT.parse(argv)
    if options.operands and options.has_flag("--help", "--version") is not True:
        yield from _write_pieces(options.operands[:1], options.value_of("--prefix") or known_word("xx"), "00", context)


def _write_pieces(files: list[Word], prefix: Word, first: str, context: ExecutionContext) -> Iterator[ReportedEffect]:
    """Writes the pieces of files, of which the first one, by its suffix, stands for those that later commands read."""
    sources = context.unknown_output("").src
    for file in files:
        if file.text == "-":
            sources |= context.stdin.src
        else:
            yield Read(context.resolve_place(file), context.origin)
            sources |= context.read(file).src
    content = unknown_word("a piece", sources or context.stdin.src)
    for piece in (Word((Hole("*", "a piece"),)), known_word(first)):
        yield Write(context.resolve_place(prefix + piece), content, False, context.origin)


ROWS: dict[str, Program] = {
    **dict.fromkeys(("tar", "gtar", "bsdtar"), Program(does=tar)),
    "unzip": Program(does=unzip),
    "zip": Program(does=pack_archive),
    **dict.fromkeys(("7z", "7za", "7zz", "7zr", "rar", "unrar"), Program(does=unpack_with_verb)),
    **dict.fromkeys(UNPACKERS, Program(does=unpack_all)),
    **dict.fromkeys(("zipfile", "tarfile"), Program(does=zipfile_or_tarfile)),
    "cpio": Program(does=cpio),
    **dict.fromkeys(("split", "gsplit"), Program(does=split, silent=True)),
    "csplit": Program(does=csplit),
}

"""Archives and split files: packing, unpacking, and the programs that their options run."""

from collections.abc import Iterator

from toolgate.model.effect import Delete, Interpret, Opaque, Operation, Prints, Read, Reported, Write
from toolgate.model.seen import Seen
from toolgate.model.word import NOTHING, Hole, Word, known, unknown

from .options import Flags
from .program import Program, via

TAR = Flags(
    "-c,--create -x,--extract,--get -t,--list -r,--append -u,--update -A -d --delete -f,--file= -C,--directory= -z,--gzip -j,--bzip2 -J,--xz --zstd -a,--auto-compress"
    " -v,--verbose -p,--preserve-permissions -k,--keep-old-files --overwrite -h,--dereference -O,--to-stdout -P,--absolute-names -I,--use-compress-program="
    " --to-command= --checkpoint=? --checkpoint-action= --rsh-command= -F,--info-script= --remove-files --recursive-unlink -T,--files-from=read -X,--exclude-from=read"
    " --exclude= --strip-components= --transform= --xform= --owner= --group= --mode= --wildcards --no-same-owner -m -w -W -S -s -U --exclude-vcs -n --totals -b= -g= --warning="
    " --one-top-level=? --no-xattrs --format= -L= --sort= --mtime= --numeric-owner -H= --version --help"
)
_RUNS = ("--use-compress-program", "--to-command", "--rsh-command", "--info-script")


def tar(argv: tuple[Word, ...], seen: Seen) -> Iterator[Reported]:
    given = TAR.read(_with_dash(argv))
    for name, value in given.values:
        if name in _RUNS:
            yield Interpret("shell", value, seen.origin, via=f"tar {name}")
        elif name == "--checkpoint-action" and value.starts("exec=") is True:
            yield Interpret("shell", value.cut(5), seen.origin, via="tar --checkpoint-action")
    folder = given.value("--directory")
    archive = given.value("--file")
    if given.flag("--create", "--append", "--update") is True:
        yield from _packed(given.operands, folder, archive, removes=given.flag("--remove-files") is True, seen=seen)
    elif given.flag("--get") is True:
        content = _unpacked_content(archive, seen)
        if archive is not None and archive.text != "-":
            yield Read(seen.place(archive), seen.origin)
        if given.flag("--to-stdout") is True:
            yield Operation("text.decode", seen.origin)
            yield Prints(content)
        else:
            if given.flag("--absolute-names") is not False:
                yield Opaque("`tar -P` unpacks wherever the names in the archive say", seen.origin)
            yield from _unpacked(given.value("--one-top-level") or folder or known("."), content, seen)
    elif archive is not None:
        yield Read(seen.place(archive), seen.origin)
        yield Prints(seen.output("tar -t"))


def _unpacked(target: Word, content: Word, seen: Seen) -> Iterator[Reported]:
    yield Write(seen.place(target), None, True, seen.origin, tree=True)
    seen.filled(target, content)


def _with_dash(argv: tuple[Word, ...]) -> tuple[Word, ...]:
    """Expand `tar xzf a.tgz` to `tar -x -z -f a.tgz`: each letter with a value takes the next word."""
    if len(argv) < 2 or (text := argv[1].text) is None or text.startswith("-"):
        return argv
    rest, words = list(argv[2:]), [argv[0]]
    for letter in text:
        words.append(known(f"-{letter}"))
        if letter in "fCbTXgLFHI" and rest:
            words.append(rest.pop(0))
    return (*words, *rest)


def _packed(members: list[Word], folder: Word | None, archive: Word | None, *, removes: bool, seen: Seen) -> Iterator[Reported]:
    sources = seen.output("tar").src
    for member in members:
        path = member if folder is None or member.starts("/") is True else folder + known("/") + member
        yield Read(seen.place(path), seen.origin, tree=True)
        sources |= seen.read(path).src
        if removes:
            yield Delete(seen.place(path, follow=False), True, seen.origin)
    packed = seen.output("an archive").from_commands(sources)
    if archive is None or archive.text == "-":
        yield Prints(packed)
    else:
        yield Write(seen.place(archive), packed, False, seen.origin)
        yield Prints(known(""))


def _unpacked_content(archive: Word | None, seen: Seen) -> Word:
    sources = seen.stdin.src if archive is None or archive.text == "-" else seen.read(archive).src
    return seen.output("what was in the archive").from_commands(sources)


def unzip(argv: tuple[Word, ...], seen: Seen) -> Iterator[Reported]:
    given = Flags("-d= -o -n -q -j -l -p -t -v -u -f -x= -P= -a -C -L -K -X -Z").read(argv)
    if not given.operands:
        return
    archive = given.operands[0]
    yield Read(seen.place(archive), seen.origin)
    content = _unpacked_content(archive, seen)
    if given.flag("-p", "-l", "-t", "-v", "-Z") is True:
        if given.flag("-p") is True:
            yield Operation("text.decode", seen.origin)
        yield Prints(content)
        return
    yield from _unpacked(given.value("-d") or known("."), content, seen)


def extracted_by_module(argv: tuple[Word, ...], seen: Seen) -> Iterator[Reported]:
    """`python -m zipfile -e ARCHIVE FOLDER`, `python -m tarfile -e ARCHIVE [FOLDER]`; `-c` packs."""
    given = Flags("-e,--extract -c,--create -l,--list -t,--test -v,--verbose --filter= --metadata-encoding=").read(argv)
    archive, *rest = given.operands or [known("")]
    if given.flag("--create") is True:
        yield from _packed(rest, None, archive, removes=False, seen=seen)
        return
    yield Read(seen.place(archive), seen.origin)
    content = _unpacked_content(archive, seen)
    if given.flag("--extract") is True:
        yield from _unpacked(rest[0] if rest else known("."), content, seen)
    else:
        yield Prints(content)


def unpack_with_verb(argv: tuple[Word, ...], seen: Seen) -> Iterator[Reported]:
    """`7z x ARCHIVE -oFOLDER`, `unrar x ARCHIVE [FOLDER]`: verbs other than `x` and `e` pack, list or test."""
    verb = argv[1].text if len(argv) > 1 else None
    operands = [word for word in argv[2:] if word.starts("-") is False]
    if verb not in ("x", "e") or any(word.text == "-so" for word in argv[1:]):
        yield from zip_(argv, seen)
        return
    folders = [word.cut(2) for word in argv[2:] if word.starts("-o") is True]
    if not folders and via(argv) in ("rar", "unrar") and len(operands) > 1:
        folders = operands[-1:]
    for archive in operands[:1]:
        yield Read(seen.place(archive), seen.origin)
        yield from _unpacked(folders[0] if folders else known("."), _unpacked_content(archive, seen), seen)


UNPACKERS = {
    "unar": Flags("-o,--output-directory= -f,--force-overwrite -r -s -d,--force-directory -D,--no-directory -p= -e= -q"),
    "cabextract": Flags("-d,--output-directory= -f -F= -h -l -L -n -p -q -s -t -v"),
    "jar": Flags("-x,--extract -f,--file= -C,--output-directory= -v -c -u -t -i --dir= --list --create --update"),
}


def unpack_all(argv: tuple[Word, ...], seen: Seen) -> Iterator[Reported]:
    """Programs that only unpack, into the folder of an option; also `jar x`, whose letters need no dash."""
    name = via(argv)
    given = UNPACKERS[name].read(_with_dash(argv) if name == "jar" else argv)
    if name == "jar" and given.flag("--extract") is not True:
        yield Prints(seen.output(name))
        return
    archive = given.value("--file") or (given.operands[0] if given.operands else None)
    if archive is not None:
        yield Read(seen.place(archive), seen.origin)
    yield from _unpacked(given.value("--output-directory") or known("."), _unpacked_content(archive, seen), seen)


def zip_(argv: tuple[Word, ...], seen: Seen) -> Iterator[Reported]:
    """zip, 7z a, rar a: the first operand is the archive."""
    given = Flags("-r -q -9 -0 -1 -j -m -u -d -x= -i= -P= -e -y -o -v -T -TT,--unzip-command= -b= -s= -t= -tt= -@").read(argv)
    for code in given.all("--unzip-command"):
        yield Interpret("shell", code, seen.origin, via="zip -TT")
    if any(word.text == "-so" for word in argv[1:]):  # 7z: to standard output
        yield from (Read(seen.place(word), seen.origin) for word in given.operands[1:2])
        yield Operation("text.decode", seen.origin)
        yield Prints(seen.output("what the archive holds"))
        return
    operands = given.operands[1:] if via(argv) in ("7z", "7za", "rar") else given.operands
    sources = seen.output("zip").src
    recursive = via(argv) != "zip" or given.flag("-r") is not False
    for member in operands[1:]:
        yield Read(seen.place(member), seen.origin, recursive)
        sources |= seen.read(member).src
        if given.flag("-m") is True or any(word.text in ("-sdel", "-df") for word in argv[1:]):
            yield Delete(seen.place(member, follow=False), True, seen.origin)
    for archive in operands[:1]:
        packed = seen.output("an archive").from_commands(sources)
        if archive.text == "-":
            yield Prints(packed)
        else:
            yield Write(seen.place(archive), packed, False, seen.origin)


def cpio(argv: tuple[Word, ...], seen: Seen) -> Iterator[Reported]:
    given = Flags(
        "-i,--extract -o,--create -p,--pass-through -d -m -u -v -t -F= -I=read -O=write -D= -H= -E= -R= --no-absolute-filenames --rsh-command="
    ).read(argv)
    for code in given.all("--rsh-command"):
        yield Interpret("shell", code, seen.origin, via="cpio --rsh-command")
    if given.flag("--extract") is True:
        yield Write(seen.place(given.value("-D") or known(".")), None, True, seen.origin, tree=True)
    yield Prints(seen.output("cpio").from_commands(seen.stdin.src or NOTHING))


SPLIT = Flags(
    "-a,--suffix-length= --additional-suffix= -b,--bytes= -C,--line-bytes= -d --numeric-suffixes=? -x --hex-suffixes=? -e,--elide-empty-files --filter= -l,--lines="
    " -n,--number= -t,--separator= -u,--unbuffered --verbose -p= --help --version"
)
CSPLIT = Flags(
    "-b,--suffix-format= -f,--prefix= -k,--keep-files --suppress-matched -n,--digits= -s,-q,--quiet,--silent -z,--elide-empty-files --help --version"
)


def split(argv: tuple[Word, ...], seen: Seen) -> Iterator[Reported]:
    """The names of the pieces begin with the second operand; `--filter` is shell code that each piece is piped to."""
    given = SPLIT.read(argv)
    if given.flag("--help", "--version") is not True:
        for code in given.all("--filter"):
            yield Interpret("shell", code, seen.origin, via="split --filter")
        yield from _pieces(given.operands[:1], given.operands[1] if len(given.operands) > 1 else known("x"), seen)


def csplit(argv: tuple[Word, ...], seen: Seen) -> Iterator[Reported]:
    given = CSPLIT.read(argv)
    if given.operands and given.flag("--help", "--version") is not True:
        yield from _pieces(given.operands[:1], given.value("--prefix") or known("xx"), seen)


def _pieces(files: list[Word], prefix: Word, seen: Seen) -> Iterator[Reported]:
    sources = seen.output("").src
    for file in files:
        if file.text == "-":
            sources |= seen.stdin.src
        else:
            yield Read(seen.place(file), seen.origin)
            sources |= seen.read(file).src
    piece = Word((Hole("*", "a piece"),))
    yield Write(seen.place(prefix + piece), unknown("a piece", sources or seen.stdin.src), False, seen.origin)


ROWS: dict[str, Program] = {
    **dict.fromkeys(("tar", "gtar", "bsdtar"), Program(does=tar)),
    "unzip": Program(does=unzip),
    "zip": Program(does=zip_),
    **dict.fromkeys(("7z", "7za", "7zz", "7zr", "rar", "unrar"), Program(does=unpack_with_verb)),
    **dict.fromkeys(UNPACKERS, Program(does=unpack_all)),
    **dict.fromkeys(("zipfile", "tarfile"), Program(does=extracted_by_module)),
    "cpio": Program(does=cpio),
    **dict.fromkeys(("split", "gsplit"), Program(does=split, silent=True)),
    "csplit": Program(does=csplit),
}

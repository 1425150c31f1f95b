"""Single files: remove, move, copy, link, write, read, name."""

from collections.abc import Iterator

from toolgate.model.effect import Link, Move, Operation, Permission, Prints, Read, Reported, Write
from toolgate.model.seen import Seen
from toolgate.model.word import EMPTY, Hole, HoleKind, Word, known, literal_pattern, of_process, unknown

from .options import Flags
from .program import INFORMATION, Program, in_role

COPY = Flags(
    "-t,--target-directory= -T,--no-target-directory -r,-R,--recursive -a,--archive -f,--force -i,--interactive -n,--no-clobber"
    " -v,--verbose -p --preserve=? --no-preserve= -u,--update=? -s,--symbolic-link -l,--link -d -P,--no-dereference -L,--dereference"
    " -H -x,--one-file-system -b --backup=? -S,--suffix= -m,--mode= -o,--owner= -g,--group= -D --directory -c -C,--compare"
    " --reflink=? --sparse= --parents --attributes-only --remove-destination --strip-trailing-slashes -Z --context=? -q"
    " --help --version"
)


def copy(argv: tuple[Word, ...], seen: Seen) -> Iterator[Reported]:
    """cp, install, mv."""
    given = COPY.read(argv)
    if given.flag(*INFORMATION) is True:
        return
    name = argv[0].shown.rpartition("/")[2]
    operands = list(given.operands)
    if name == "install" and given.flag("--directory", "-d") is True:
        for word in operands:
            yield Write(seen.place(word), None, True, seen.origin)
            seen.made(word)
        return
    target = given.value("--target-directory")
    if target is None and len(operands) > 1:
        target = operands.pop()
    tree = name == "cp" and given.flag("--recursive", "--archive") is not False
    for word in operands:
        if target is None:
            yield Read(seen.place(word), seen.origin)
            continue
        exact = given.flag("--no-target-directory") is True
        for destination in [target] if exact else destinations(word, target, several=len(operands) > 1, seen=seen):
            if name == "install" and (mode := given.value("--mode")) is not None:
                yield Permission(seen.place(destination), mode, False, seen.origin)
            if name == "mv":
                yield Move(seen.place(word, follow=False), seen.place(destination), seen.origin)
            elif given.flag("--symbolic-link", "--link") is True:
                yield Link(seen.place(destination, follow=False), seen.place(word), given.flag("--symbolic-link"), seen.origin)
            else:
                source = seen.place(word)
                yield Read(source, seen.origin, tree)
                yield Write(seen.place(destination), seen.read(word), False, seen.origin, tree=tree, source=source)


def ditto(argv: tuple[Word, ...], seen: Seen) -> Iterator[Reported]:
    """macOS' ditto copies the content of a folder into the target."""
    given = Flags(
        "-v -V -X -c -k -x -z -j --rsrc --norsrc --extattr --noextattr --sequesterRsrc --keepParent --bom= --arch="
    ).read(argv)
    for word in given.operands[:-1]:
        source = seen.place(word)
        yield Read(source, seen.origin, tree=True)
        yield Write(seen.place(given.operands[-1]), seen.read(word), False, seen.origin, tree=True, source=source)


def destinations(source: Word, target: Word, *, several: bool, seen: Seen) -> list[Word]:
    """Return where a file ends up: in the target if that is a folder, else as the target; both if that is unknown."""
    folder = True if several or target.tail.endswith("/") else seen.is_folder(seen.place(target))
    inside = target + known("" if target.tail.endswith("/") else "/") + basename_of(source)
    return [inside] if folder is True else [target] if folder is False else [target, inside]


def basename_of(word: Word) -> Word:
    text = word.text
    if text is not None:
        return known(text.rstrip("/").rpartition("/")[2], word.src)
    tail = word.tail.rpartition("/")
    if tail[1]:
        return known(tail[2], word.src)
    last = word.parts[-1]
    if isinstance(last, Hole) and "/" not in last.like and not last.like.startswith(("**", "?**")) and len(word.parts) == 2:
        head = word.head.rpartition("/")[2]
        return Word((head, last) if head else (last,), src=word.src)
    return unknown(f"the name of {word.shown}", word.src, like="*")


def link(argv: tuple[Word, ...], seen: Seen) -> Iterator[Reported]:
    given = Flags(
        "-s,--symbolic -f,--force -n,--no-dereference -r,--relative -v,--verbose -i -b -t,--target-directory= -T -L -P --help --version"
    ).read(argv)
    operands = list(given.operands)
    target = given.value("--target-directory")
    if target is None:
        target = operands.pop() if len(operands) > 1 else known(".")
    for word in operands:
        for destination in destinations(word, target, several=len(operands) > 1 or target.text == ".", seen=seen):
            place = seen.place(destination, follow=False)
            base = (
                known(place.path.rpartition("/")[0] or "/")
                if place.path is not None and given.flag("--symbolic") is not False
                else None
            )
            yield Link(place, seen.place(word, base=base), given.flag("--symbolic"), seen.origin)


def concatenate(argv: tuple[Word, ...], seen: Seen) -> Iterator[Reported]:
    """cat prints files one after the other; no operand or a dash is standard input."""
    given = Flags("-A -b -e -E -n -s -t -T -u -v -r --separator= --help --version").read(argv)
    if given.flag(*INFORMATION) is True:
        return
    for word in given.operands or [known("-")]:
        if word.equals(*ENDLESS) is True:
            yield Operation("output.endless", seen.origin)
        if word.text == "-":
            yield Prints(seen.stdin)
        else:
            yield from in_role("print", word, given, seen)


ENDLESS = ("/dev/zero", "/dev/urandom", "/dev/random")
"""Devices without an end of file."""

SHRED = Flags(
    "-f,--force -n,--iterations= --random-source=read -s,--size= -u --remove=? -v,--verbose -x,--exact -z,--zero --help --version"
)


def shred(argv: tuple[Word, ...], seen: Seen) -> Iterator[Reported]:
    """Overwrites each file, and deletes it with `-u`."""
    given = SHRED.read(argv)
    if given.flag(*INFORMATION) is True:
        return
    removes = given.flag("-u", "--remove") is not False
    for word in given.operands:
        yield from in_role("write", word, given, seen)
        if removes:
            yield from in_role("delete", word, given, seen)


_UNITS = {"c": 1, "w": 2, "b": 512, "k": 1 << 10, "m": 1 << 20, "g": 1 << 30, "t": 1 << 40, "p": 1 << 50, "e": 1 << 60}
_MOST = 1 << 40


def size_of(word: Word | None) -> int | None:
    """Return the size in bytes: `10G`, `512`, `2MB`; None if unknown."""
    text = (word.text or "").lower().removesuffix("ib").removesuffix("b") if word is not None else ""
    digits = text.rstrip("cwbkmgtpe")
    return int(digits) * _UNITS.get(text[len(digits) :], 1) if digits.isdigit() else None


def allocate(argv: tuple[Word, ...], seen: Seen) -> Iterator[Reported]:
    given = Flags("-l,--length= -o,--offset= -n,--keep-size -c -d -z -p -x -v --posix --help --version").read(argv)
    for word in given.operands:
        if (size_of(given.value("--length")) or 0) > _MOST:
            yield Operation("disk.fill", seen.origin, word)
        yield Write(seen.place(word), None, None, seen.origin)


def tee(argv: tuple[Word, ...], seen: Seen) -> Iterator[Reported]:
    given = Flags("-a,--append -i,--ignore-interrupts -p --output-error=? --help --version").read(argv)
    for word in given.operands:
        if of_process(word) is None:
            yield Write(seen.place(word), seen.stdin, given.flag("--append"), seen.origin)
    yield Prints(seen.stdin)


def dd(argv: tuple[Word, ...], seen: Seen) -> Iterator[Reported]:
    content: Word | None = None
    targets: list[Word] = []
    said: dict[str, Word] = {}
    for word in argv[1:]:
        name, _, value = word.partition("=")
        said[name.text or ""] = value
        if name.text == "wipe":  # dc3dd
            yield Write(seen.place(value), None, False, seen.origin)
        if name.text == "if":
            yield Read(seen.place(value), seen.origin)
            content = seen.read(value)
        elif name.text in ("of", "hof") or name.text is None:  # an unknown operand may be `of=`, too
            targets.append(value if name.text is not None else word)
    content = seen.stdin if content is None else content
    endless = "if" in said and said["if"].equals(*ENDLESS) is True
    amount = (size_of(said.get("bs")) or 512) * (size_of(said["count"]) or 0) if "count" in said else None
    for target in targets:
        if endless and (amount is None or amount > _MOST) and target.starts("/dev/") is False:
            yield Operation("disk.fill", seen.origin, target)
        yield Write(seen.place(target), content, False, seen.origin)
    if not targets:
        yield Prints(content)


CHANGE = Flags(
    "-R,--recursive -f,--silent,--quiet -v,--verbose -c,--changes -h,--no-dereference --dereference -H -L -P --reference=read"
    " --preserve-root --no-preserve-root --from= --help --version"
)


def change_permission(argv: tuple[Word, ...], seen: Seen) -> Iterator[Reported]:
    """chmod, chown, chgrp, chattr: a mode, then paths. A mode may begin with a dash (`chmod -x f`) or a plus."""
    words = list(argv)
    mode: Word | None = None
    for n, word in enumerate(words[1:], 1):
        text = word.text or ""
        if (
            text[:1] in "-+="
            and len(text) > 1
            and not text.startswith("--")
            and set(text[1:]) <= set("rwxXstugoaieAcdDjFSTu,+-=")
            and "R" not in text
        ):
            mode = words.pop(n)
            break
    given = CHANGE.read(tuple(words))
    if given.flag(*INFORMATION) is True:
        return
    operands = list(given.operands)
    if mode is None and given.value("--reference") is None and operands:
        mode = operands.pop(0)
    for word in operands:
        yield Permission(seen.place(word), mode or EMPTY, given.flag("--recursive"), seen.origin)


def set_access(argv: tuple[Word, ...], seen: Seen) -> Iterator[Reported]:
    """setfacl."""
    given = Flags("-m,--modify= -M= -x,--remove= -X= -b -k -R,--recursive -d -n -L -P --set= --restore=read --test").read(argv)
    mode = given.value("--modify", "--set") or known("-x")
    for word in given.operands:
        yield Permission(seen.place(word), mode, given.flag("--recursive"), seen.origin)


def make_temporary(argv: tuple[Word, ...], seen: Seen) -> Iterator[Reported]:
    given = Flags("-d,--directory -p,--tmpdir=? -t -u,--dry-run -q,--quiet --suffix= --help --version").read(argv)
    template = given.operands[0] if given.operands else known("tmp.XXXXXXXXXX")
    folder = given.value("--tmpdir")
    if folder is None and (not given.operands or given.flag("-t", "--tmpdir") is True):
        folder = known("/tmp")
    text = template.text
    like = template.pattern if text is None else _random_tail(text)
    if folder is not None:
        like = (literal_pattern(folder.text.rstrip("/")) if folder.text is not None else folder.pattern) + "/" + like
    yield Prints(Word((Hole(like, "$(mktemp)", kind=HoleKind.NAMED),), src=seen.output("mktemp").src))


def _random_tail(text: str) -> str:
    stem = text.rstrip("X")
    return literal_pattern(stem) + "*" if len(text) - len(stem) >= 3 else literal_pattern(text)


def name_of(argv: tuple[Word, ...], seen: Seen) -> Iterator[Reported]:
    """basename, dirname, realpath, readlink print a path derived from a path."""
    name = argv[0].shown.rpartition("/")[2]
    operands = (
        Flags("-a,--multiple -s,--suffix= -z,--zero -f,--canonicalize -e -m -n -q -v -L -P --relative-to=").read(argv).operands
    )
    if not operands or (name == "basename" and len(operands) > 2):
        yield Prints(EMPTY)  # an error message, on standard error
        return
    word, text = operands[0], operands[0].text
    if name == "basename":
        result = basename_of(word)
        suffix = operands[1].text if len(operands) > 1 else None
        if suffix and result.text is not None:
            result = known(result.text.removesuffix(suffix), result.src)
    elif name == "dirname":
        if text is not None:
            result = known(text.rstrip("/").rpartition("/")[0] or ("/" if text.startswith("/") else "."), word.src)
        else:
            head, slash, _ = word.tail.rpartition("/")
            known_tail = word.tail and slash
            result = (
                Word((*word.parts[:-1], head) if head else word.parts[:-1], src=word.src)
                if known_tail
                else _part_of_path("dirname", word, HoleKind.SCRIPT_FOLDER)
            )
    else:
        place = seen.place(word)
        result = known(place.path, word.src) if place.path is not None else _part_of_path(name, word, HoleKind.SCRIPT)
    yield Prints(result + known("\n"))


def _part_of_path(program: str, path: Word, kind_of_script: HoleKind) -> Word:
    """What a program makes of an unknown path; `kind_of_script` where that is the path of the running script."""
    is_script = len(path.parts) == 1 and isinstance(hole := path.parts[0], Hole) and hole.kind is HoleKind.SCRIPT
    kind = kind_of_script if is_script else HoleKind.NAMED
    return Word((Hole("**", f"$({program} {path.shown})", kind=kind),), src=path.src)


ROWS: dict[str, Program] = {
    "rm": Program(
        Flags(
            "-f,--force -i -I --interactive=? -r,-R,--recursive -d,--dir -v,--verbose --one-file-system --preserve-root=?"
            " --no-preserve-root -P -W -x --help --version"
        ),
        "delete*",
        silent=True,
    ),
    "rmdir": Program(Flags("-p,--parents -v,--verbose --ignore-fail-on-non-empty --help --version"), "delete*", silent=True),
    "unlink": Program(Flags("--help --version"), "delete", silent=True),
    "shred": Program(does=shred, silent=True),
    "wipe": Program(Flags("-r -f -c -q -Q= -s -k -D -e -l= -S= -z -i"), "delete*", silent=True),
    "srm": Program(Flags("-r,-R,--recursive -f,--force -v,--verbose -z -l"), "delete*", silent=True),
    "truncate": Program(
        Flags("-c,--no-create -o,--io-blocks -r,--reference=read -s,--size= --help --version"), "write*", silent=True
    ),
    "mkdir": Program(Flags("-m,--mode= -p,--parents -v,--verbose -Z --help --version"), "make*", silent=True),
    "touch": Program(
        Flags("-a -c,--no-create -d,--date= -f -h -m -r,--reference=read -t= --time= --help --version"), "touch*", silent=True
    ),
    "tee": Program(does=tee),
    **dict.fromkeys(("dd", "dcfldd", "dc3dd"), Program(does=dd)),
    "fallocate": Program(does=allocate),
    "yes": Program(operation="output.endless"),
    "cp": Program(does=copy, silent=True),
    "mv": Program(does=copy, silent=True),
    "install": Program(does=copy, silent=True),
    "ditto": Program(does=ditto, silent=True),
    "ln": Program(does=link, silent=True),
    "chmod": Program(does=change_permission, silent=True),
    "chown": Program(does=change_permission, silent=True),
    "chgrp": Program(does=change_permission, silent=True),
    "chattr": Program(does=change_permission, silent=True),
    "setfacl": Program(does=set_access, silent=True),
    "mktemp": Program(does=make_temporary),
    "basename": Program(does=name_of),
    "dirname": Program(does=name_of),
    "realpath": Program(does=name_of),
    "readlink": Program(does=name_of),
    "cat": Program(does=concatenate),
    "tac": Program(does=concatenate),
    "test": Program(silent=True),
    "[": Program(silent=True),
    "sleep": Program(silent=True),
}

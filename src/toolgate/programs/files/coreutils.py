"""Single files: remove, move, copy, link, write, read, name."""

from collections.abc import Iterator

from toolgate.flows.endless import ENDLESS_DEVICES
from toolgate.model.effect import Link, Move, Operation, Permission, PrintedOutput, Read, ReportedEffect, Write
from toolgate.model.execution_context import ExecutionContext
from toolgate.model.word import EMPTY, Hole, HoleKind, Word, known_word, literal_pattern, pipe_content, unknown_word
from toolgate.programs.argv.options import Flags
from toolgate.programs.argv.program import INFORMATION_OPTIONS, Program, effects_of_operand

COPY_OPTIONS = Flags(
    "-t,--target-directory= -T,--no-target-directory -r,-R,--recursive -a,--archive -f,--force -i,--interactive -n,--no-clobber"
    " -v,--verbose -p --preserve=? --no-preserve= -u,--update=? -s,--symbolic-link -l,--link -d -P,--no-dereference -L,--dereference"
    " -H -x,--one-file-system -b --backup=? -S,--suffix= -m,--mode= -o,--owner= -g,--group= -D --directory -c -C,--compare"
    " --reflink=? --sparse= --parents --attributes-only --remove-destination --strip-trailing-slashes -Z --context=? -q"
    " --help --version"
)


def copy_or_move(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    """cp, install, mv."""
    options = COPY_OPTIONS.parse(argv)
    if options.has_flag(*INFORMATION_OPTIONS) is True:
        return
    name = argv[0].file_name
    operands = list(options.operands)
    if name == "install" and options.has_flag("--directory", "-d") is True:
        for word in operands:
            yield Write(context.resolve_place(word), None, True, context.origin, folder=True)
            context.record_folder(word)
        return
    target = options.value_of("--target-directory")
    if target is None and len(operands) > 1:
        target = operands.pop()
    tree = name == "cp" and options.has_flag("--recursive", "--archive") is not False
    for word in operands:
        if target is None:
            yield Read(context.resolve_place(word), context.origin)
            continue
        exact = options.has_flag("--no-target-directory") is True
        for destination in [target] if exact else possible_destinations(word, target, several=len(operands) > 1, context=context):
            if name == "install" and (mode := options.value_of("--mode")) is not None:
                yield Permission(context.resolve_place(destination), mode, False, context.origin)
            if name == "mv":
                yield Move(context.resolve_place(word, follow=False), context.resolve_place(destination), context.origin)
            elif options.has_flag("--symbolic-link", "--link") is True:
                yield Link(
                    context.resolve_place(destination, follow=False),
                    context.resolve_place(word),
                    options.has_flag("--symbolic-link"),
                    context.origin,
                )
            else:
                source = context.resolve_place(word)
                yield Read(source, context.origin, tree)
                yield Write(
                    context.resolve_place(destination), context.read(word), False, context.origin, tree=tree, source=source
                )


def ditto(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    """macOS' ditto copies the content of a folder into the target."""
    options = Flags(
        "-v -V -X -c -k -x -z -j --rsrc --norsrc --extattr --noextattr --sequesterRsrc --keepParent --bom= --arch="
    ).parse(argv)
    for word in options.operands[:-1]:
        source = context.resolve_place(word)
        yield Read(source, context.origin, tree=True)
        yield Write(
            context.resolve_place(options.operands[-1]), context.read(word), False, context.origin, tree=True, source=source
        )


def possible_destinations(source: Word, target: Word, *, several: bool, context: ExecutionContext) -> list[Word]:
    """Returns where a file ends up: in the target if that is a folder, else as the target; both if that is unknown."""
    folder = True if several or target.tail.endswith("/") else context.is_folder(context.resolve_place(target))
    inside = target + known_word("" if target.tail.endswith("/") else "/") + basename_word(source)
    return [inside] if folder is True else [target] if folder is False else [target, inside]


def basename_word(word: Word) -> Word:
    text = word.text
    if text is not None:
        return known_word(text.rstrip("/").rpartition("/")[2], word.src)
    tail = word.tail.rpartition("/")
    if tail[1]:
        return known_word(tail[2], word.src)
    last = word.parts[-1]
    if isinstance(last, Hole) and "/" not in last.like and not last.like.startswith(("**", "?**")) and len(word.parts) == 2:
        head = word.head.rpartition("/")[2]
        return Word((head, last) if head else (last,), src=word.src)
    return unknown_word(f"the name of {word.display_text}", word.src, like="*")


def link(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    options = Flags(
        "-s,--symbolic -f,--force -n,--no-dereference -r,--relative -v,--verbose -i -b -t,--target-directory= -T -L -P --help --version"
    ).parse(argv)
    operands = list(options.operands)
    target = options.value_of("--target-directory")
    if target is None:
        target = operands.pop() if len(operands) > 1 else known_word(".")
    for word in operands:
        for destination in possible_destinations(word, target, several=len(operands) > 1 or target.text == ".", context=context):
            place = context.resolve_place(destination, follow=False)
            base = (
                known_word(place.path.rpartition("/")[0] or "/")
                if place.path is not None and options.has_flag("--symbolic") is not False
                else None
            )
            yield Link(place, context.resolve_place(word, base=base), options.has_flag("--symbolic"), context.origin)


def cat(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    """cat prints files one after the other; no operand or a dash is standard input."""
    options = Flags("-A -b -e -E -n -s -t -T -u -v -r --separator= --help --version").parse(argv)
    if options.has_flag(*INFORMATION_OPTIONS) is True:
        return
    for word in options.operands or [known_word("-")]:
        if word.is_any_of(*ENDLESS_DEVICES) is True:
            yield Operation("output.endless", context.origin)
        if word.text == "-":
            yield PrintedOutput(context.stdin)
        else:
            yield from effects_of_operand("print", word, options, context)


def seq(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    if any(word.text in ("inf", "infinity") for word in argv[1:]):
        yield Operation("output.endless", context.origin)
    yield PrintedOutput(context.unknown_output("seq"))


SHRED = Flags(
    "-f,--force -n,--iterations= --random-source=read -s,--size= -u --remove=? -v,--verbose -x,--exact -z,--zero --help --version"
)


def shred(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    """Overwrites each file, and deletes it with `-u`."""
    options = SHRED.parse(argv)
    if options.has_flag(*INFORMATION_OPTIONS) is True:
        return
    removes = options.has_flag("-u", "--remove") is not False
    for word in options.operands:
        yield from effects_of_operand("write", word, options, context)
        if removes:
            yield from effects_of_operand("delete", word, options, context)


_UNITS = {"c": 1, "w": 2, "b": 512, "k": 1 << 10, "m": 1 << 20, "g": 1 << 30, "t": 1 << 40, "p": 1 << 50, "e": 1 << 60}
_DISK_FILL_BYTES = 100 << 30


def parse_size(word: Word | None) -> int | None:
    """Returns the size in bytes: `10G`, `512`, `2MB`; None if unknown."""
    text = (word.text or "").lower().removesuffix("ib").removesuffix("b") if word is not None else ""
    digits = text.rstrip("cwbkmgtpe")
    return int(digits) * _UNITS.get(text[len(digits) :], 1) if digits.isdigit() else None


def report_allocation(size: Word | None, file: Word, context: ExecutionContext) -> Iterator[Operation]:
    """Reports a size that no disk has room for, and a computed one, which may be all that is free."""
    amount = parse_size(size)
    if size is not None and amount is None and size.src:
        yield Operation("disk.allocate", context.origin, size)
    elif (amount or 0) > _DISK_FILL_BYTES:
        yield Operation("disk.fill", context.origin, file)


def fallocate(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    options = Flags("-l,--length= -o,--offset= -n,--keep-size -c -d -z -p -x -v --posix --help --version").parse(argv)
    for word in options.operands:
        yield from report_allocation(options.value_of("--length"), word, context)
        yield Write(context.resolve_place(word), None, None, context.origin)


def tee(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    options = Flags("-a,--append -i,--ignore-interrupts -p --output-error=? --help --version").parse(argv)
    for word in options.operands:
        if pipe_content(word) is None:
            yield Write(context.resolve_place(word), context.stdin, options.has_flag("--append"), context.origin)
    yield PrintedOutput(context.stdin)


def dd(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    content: Word | None = None
    targets: list[Word] = []
    operands: dict[str, Word] = {}
    for word in argv[1:]:
        name, _, value = word.partition("=")
        operands[name.text or ""] = value
        if name.text == "wipe":  # dc3dd
            yield Write(context.resolve_place(value), None, False, context.origin)
        if name.text == "if":
            yield Read(context.resolve_place(value), context.origin)
            content = context.read(value)
        elif name.text in ("of", "hof") or name.text is None:  # an unknown operand may be `of=`, too
            targets.append(value if name.text is not None else word)
    content = context.stdin if content is None else content
    endless = "if" in operands and operands["if"].is_any_of(*ENDLESS_DEVICES) is True
    amount = (parse_size(operands.get("bs")) or 512) * (parse_size(operands["count"]) or 0) if "count" in operands else None
    for target in targets:
        if endless and (amount is None or amount > _DISK_FILL_BYTES) and target.starts_with("/dev/") is False:
            yield Operation("disk.fill", context.origin, target)
        yield Write(context.resolve_place(target), content, False, context.origin)
    if not targets:
        yield PrintedOutput(content)


CHMOD_OPTIONS = Flags(
    "-R,--recursive -f,--silent,--quiet -v,--verbose -c,--changes -h,--no-dereference --dereference -H -L -P --reference=read"
    " --preserve-root --no-preserve-root --from= --help --version"
)


def change_permission(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
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
    options = CHMOD_OPTIONS.parse(tuple(words))
    if options.has_flag(*INFORMATION_OPTIONS) is True:
        return
    operands = list(options.operands)
    if mode is None and options.value_of("--reference") is None and operands:
        mode = operands.pop(0)
    for word in operands:
        yield Permission(context.resolve_place(word), mode or EMPTY, options.has_flag("--recursive"), context.origin)


def setfacl(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    """setfacl."""
    options = Flags("-m,--modify= -M= -x,--remove= -X= -b -k -R,--recursive -d -n -L -P --set= --restore=read --test").parse(argv)
    mode = options.value_of("--modify", "--set") or known_word("-x")
    for word in options.operands:
        yield Permission(context.resolve_place(word), mode, options.has_flag("--recursive"), context.origin)


def mktemp(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    options = Flags("-d,--directory -p,--tmpdir=? -t -u,--dry-run -q,--quiet --suffix= --help --version").parse(argv)
    template = options.operands[0] if options.operands else known_word("tmp.XXXXXXXXXX")
    folder = options.value_of("--tmpdir")
    if folder is None and (not options.operands or options.has_flag("-t", "--tmpdir") is True):
        folder = known_word("/tmp")
    text = template.text
    like = template.pattern if text is None else _template_pattern(text)
    if folder is not None:
        like = (literal_pattern(folder.text.rstrip("/")) if folder.text is not None else folder.pattern) + "/" + like
    kind = HoleKind.TEMPORARY_FOLDER if options.has_flag("--directory") is True else HoleKind.NAMED
    yield PrintedOutput(Word((Hole(like, "$(mktemp)", kind=kind),), src=context.unknown_output("mktemp").src))


def _template_pattern(text: str) -> str:
    stem = text.rstrip("X")
    return literal_pattern(stem) + "*" if len(text) - len(stem) >= 3 else literal_pattern(text)


def path_component(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    """basename, dirname, realpath, readlink print a path derived from a path."""
    name = argv[0].file_name
    operands = (
        Flags("-a,--multiple -s,--suffix= -z,--zero -f,--canonicalize -e -m -n -q -v -L -P --relative-to=").parse(argv).operands
    )
    if not operands or (name == "basename" and len(operands) > 2):
        yield PrintedOutput(EMPTY)  # an error message, on standard error
        return
    word, text = operands[0], operands[0].text
    if name == "basename":
        result = basename_word(word)
        suffix = operands[1].text if len(operands) > 1 else None
        if suffix and result.text is not None:
            result = known_word(result.text.removesuffix(suffix), result.src)
    elif name == "dirname":
        if text is not None:
            result = known_word(text.rstrip("/").rpartition("/")[0] or ("/" if text.startswith("/") else "."), word.src)
        else:
            head, slash, _ = word.tail.rpartition("/")
            known_tail = word.tail and slash
            result = (
                Word((*word.parts[:-1], head) if head else word.parts[:-1], src=word.src)
                if known_tail
                else _part_of_path("dirname", word, HoleKind.SCRIPT_FOLDER)
            )
    else:
        place = context.resolve_place(word)
        result = known_word(place.path, word.src) if place.path is not None else _part_of_path(name, word, HoleKind.SCRIPT)
    yield PrintedOutput(result + known_word("\n"))


def _part_of_path(program: str, path: Word, kind_of_script: HoleKind) -> Word:
    """What a program makes of an unknown path; `kind_of_script` where that is the path of the running script."""
    is_script = len(path.parts) == 1 and isinstance(hole := path.parts[0], Hole) and hole.kind is HoleKind.SCRIPT
    kind = kind_of_script if is_script else HoleKind.NAMED
    return Word((Hole("**", f"$({program} {path.display_text})", kind=kind),), src=path.src)


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
    "fallocate": Program(does=fallocate),
    "yes": Program(operation="output.endless"),
    "seq": Program(does=seq),
    "cp": Program(does=copy_or_move, silent=True),
    "mv": Program(does=copy_or_move, silent=True),
    "install": Program(does=copy_or_move, silent=True),
    "ditto": Program(does=ditto, silent=True),
    "ln": Program(does=link, silent=True),
    "chmod": Program(does=change_permission, silent=True),
    "chown": Program(does=change_permission, silent=True),
    "chgrp": Program(does=change_permission, silent=True),
    "chattr": Program(does=change_permission, silent=True),
    "setfacl": Program(does=setfacl, silent=True),
    "mktemp": Program(does=mktemp),
    "basename": Program(does=path_component),
    "dirname": Program(does=path_component),
    "realpath": Program(does=path_component),
    "readlink": Program(does=path_component),
    "cat": Program(does=cat),
    "tac": Program(does=cat),
    "test": Program(silent=True),
    "[": Program(silent=True),
    "sleep": Program(silent=True),
}

"""Programs that change their operands in place by a query or an expression."""

from collections.abc import Iterator

from toolgate.model.effect import Prints, Read, Reported, Write
from toolgate.model.seen import Seen
from toolgate.model.word import Word, unknown

from .options import Flags
from .program import Program, by_roles, via
from .text import Filter

YQ = Flags(
    "-i,--inplace,--in-place -r,--raw-output,--unwrapScalar=? -y,--yaml-output -Y,--yaml-roundtrip -c,--compact-output -o,--output-format=? -p,--input-format="
    " -e,--exit-status -P,--prettyPrint -n,--null-input -s,--split-exp= -I,--indent= -C,--colors -M,--no-colors -N,--no-doc -j,--tojson -v,--verbose"
    " --arg= --argjson= --from-file=read --front-matter= --header-preprocess -h,--help -V,--version"
)
CRUDINI = Flags("--set --del --get --merge --inplace --existing=? --format= --verbose --list --list-sep= --help --version")
DASEL = Flags(
    "-f,--file= -o,--out= -r,--read= -w,--write= -t,--type= -v,--value= -s,--selector= -p,--parser= -c,--compact --pretty -h,--help"
)
_VERBS_OF_YQ = ("eval", "e", "eval-all", "ea")
_CHANGES = ("put", "delete")


def yq(argv: tuple[Word, ...], seen: Seen) -> Iterator[Reported]:
    """Both programs of this name: a verb may precede the expression, and `-i` writes the result to the file."""
    verb = len(argv) > 1 and argv[1].text in _VERBS_OF_YQ
    yield from Filter(YQ, 1, in_place=("--in-place",))((argv[0], *argv[2:]) if verb else argv, seen)


def unless(preview: str, program: Program) -> Program:
    """Return a program that changes no files with the option that only shows what it would do."""

    def does(argv: tuple[Word, ...], seen: Seen) -> Iterator[Reported]:
        if program.flags.read(argv).flag(preview) is True:
            yield Prints(seen.output(via(argv)))
        else:
            yield from by_roles(program, argv, seen)

    return Program(program.flags, does=does)


def crudini(argv: tuple[Word, ...], seen: Seen) -> Iterator[Reported]:
    """`crudini --set FILE SECTION ..` writes the file; `--get` only prints."""
    given = CRUDINI.read(argv)
    for file in given.operands[:1]:
        yield Read(seen.place(file), seen.origin)
        if given.flag("--set", "--del", "--merge") is not False:
            yield Write(seen.place(file), unknown("crudini", seen.read(file).src), False, seen.origin)
    yield Prints(seen.output(via(argv)))


def dasel(argv: tuple[Word, ...], seen: Seen) -> Iterator[Reported]:
    """`dasel put -f FILE ..` changes the file, unless `-o` names another one."""
    given = DASEL.read(argv)
    changes = bool(given.operands) and given.operands[0].text in _CHANGES
    for file in given.all("--file"):
        yield Read(seen.place(file), seen.origin)
        sources = seen.read(file).src
        for target in list(given.all("--out")) or ([file] if changes else []):
            yield Write(seen.place(target), unknown("dasel", sources), False, seen.origin)
    yield Prints(seen.output(via(argv)))


LINE_ENDS = "-a,--ascii -i,--info=? -k,--keepdate -q,--quiet -s,--safe -f,--force -b,--keep-bom -c,--convmode= -m,--add-bom -l,--newline -O,--to-stdout -h,--help -V,--version"

ROWS: dict[str, Program] = {
    **dict.fromkeys(("yq", "tomlq", "xq", "jaq"), Program(does=yq)),
    "sd": unless(
        "--preview",
        Program(Flags("-p,--preview -F,-s,--fixed-strings -n,--max-replacements= -f,--flags= -A,--across"), "data data write*"),
    ),
    "rpl": unless(
        "--dry-run",
        Program(
            Flags(
                "-R,--recursive -e,--escape -i,--ignore-case -w,--whole-words -b,--backup -q,--quiet -v,--verbose -s,--dry-run -p,--prompt -f,--force -d,--keep-times -x,--glob="
            ),
            "data data write*",
        ),
    ),
    **dict.fromkeys(("dos2unix", "unix2dos", "mac2unix", "unix2mac"), unless("--to-stdout", Program(Flags(LINE_ENDS), "write*"))),
    "crudini": Program(does=crudini),
    "dasel": Program(does=dasel),
}

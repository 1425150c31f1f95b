"""Programs that change their operands in place by a query or an expression."""

from collections.abc import Iterator

from toolgate.model.effect import PrintedOutput, Read, ReportedEffect, Write
from toolgate.model.execution_context import ExecutionContext
from toolgate.model.word import Word, unknown_word
from toolgate.programs.argv.options import Flags
from toolgate.programs.argv.program import Program, effects_by_role, program_name

from .filters import Filter
from .selected_settings import replace_output, select_from_yaml

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
_CHANGING_VERBS = ("put", "delete")


def yq(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    """Both programs of this name: a verb may precede the expression, and `-i` writes the result to the file."""
    verb = len(argv) > 1 and argv[1].text in _VERBS_OF_YQ
    effects = Filter(YQ, 1, in_place=("--in-place",))((argv[0], *argv[2:]) if verb else argv, context)
    yield from replace_output(effects, select_from_yaml(argv, context))


def skip_on_preview(preview: str, program: Program) -> Program:
    """Returns a program that changes no files with the option that only shows what it would do."""

    def report_effects(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
        if program.flags.parse(argv).has_flag(preview) is True:
            yield PrintedOutput(context.unknown_output(program_name(argv)))
        else:
            yield from effects_by_role(program, argv, context)

    return Program(program.flags, does=report_effects)


def crudini(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    """`crudini --set FILE SECTION ..` writes the file; `--get` only prints."""
    options = CRUDINI.parse(argv)
    for file in options.operands[:1]:
        yield Read(context.resolve_place(file), context.origin)
        if options.has_flag("--set", "--del", "--merge") is not False:
            yield Write(context.resolve_place(file), unknown_word("crudini", context.read(file).src), False, context.origin)
    yield PrintedOutput(context.unknown_output(program_name(argv)))


def dasel(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    """`dasel put -f FILE ..` changes the file, unless `-o` names another one."""
    options = DASEL.parse(argv)
    changes = bool(options.operands) and options.operands[0].text in _CHANGING_VERBS
    for file in options.values_of("--file"):
        yield Read(context.resolve_place(file), context.origin)
        sources = context.read(file).src
        for target in list(options.values_of("--out")) or ([file] if changes else []):
            yield Write(context.resolve_place(target), unknown_word("dasel", sources), False, context.origin)
    yield PrintedOutput(context.unknown_output(program_name(argv)))


LINE_ENDING_OPTIONS = "-a,--ascii -i,--info=? -k,--keepdate -q,--quiet -s,--safe -f,--force -b,--keep-bom -c,--convmode= -m,--add-bom -l,--newline -O,--to-stdout -h,--help -V,--version"

ROWS: dict[str, Program] = {
    **dict.fromkeys(("yq", "tomlq", "xq", "jaq"), Program(does=yq)),
    "sd": skip_on_preview(
        "--preview",
        Program(Flags("-p,--preview -F,-s,--fixed-strings -n,--max-replacements= -f,--flags= -A,--across"), "data data write*"),
    ),
    "rpl": skip_on_preview(
        "--dry-run",
        Program(
            Flags(
                "-R,--recursive -e,--escape -i,--ignore-case -w,--whole-words -b,--backup -q,--quiet -v,--verbose -s,--dry-run -p,--prompt -f,--force -d,--keep-times -x,--glob="
            ),
            "data data write*",
        ),
    ),
    **dict.fromkeys(
        ("dos2unix", "unix2dos", "mac2unix", "unix2mac"),
        skip_on_preview("--to-stdout", Program(Flags(LINE_ENDING_OPTIONS), "write*")),
    ),
    "crudini": Program(does=crudini),
    "dasel": Program(does=dasel),
}

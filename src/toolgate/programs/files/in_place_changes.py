"""Programs that change their operands in place: renamers, duplicate finders, formatters, encrypters.

A folder means everything in it, and a glob each of its matches.
"""

from collections.abc import Iterator
from itertools import pairwise

from toolgate.model.effect import Delete, PrintedOutput, ReportedEffect, Write
from toolgate.model.execution_context import ExecutionContext
from toolgate.model.word import Word, known_word, unknown_word
from toolgate.programs.argv.conventions import guess_writes
from toolgate.programs.argv.options import Flags, ParsedOptions
from toolgate.programs.argv.program import Program, program_name


def changes_operands(spec: str, when: str = "", *, skips: int = 0, unless: str = "", deletes: bool = False) -> Program:
    """A program that changes its operands. `when`: options of which one must be given, none if it always changes them;
    `unless`: options with which it only reads; `skips`: leading operands that are not files; `deletes`: it deletes the operands
    it finds superfluous."""
    flags = Flags(f"{spec} -h,--help --version")
    asked, spared = when.split(), unless.split()

    def report_effects(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
        options = flags.parse(argv)
        if options.has_flag("--help", "--version") is True:
            return
        if (not asked or _is_any_given(asked, options, argv)) and not _is_any_given(spared, options, argv):
            for word in options.operands[skips:]:
                if deletes:
                    yield Delete(context.resolve_place(word), True, context.origin)
                elif context.is_folder(context.resolve_place(word)) is not False:
                    yield Write(context.resolve_place(word), None, None, context.origin, tree=None)
                else:
                    yield Write(context.resolve_place(word), unknown_word(program_name(argv)), None, context.origin)
        yield from guess_writes(argv, context)
        yield PrintedOutput(context.unknown_output(program_name(argv)))

    return Program(does=report_effects)


def _is_any_given(options: list[str], parsed: ParsedOptions, argv: tuple[Word, ...]) -> bool:
    """Returns whether one of the options is given. Some programs have them among the operands, others at the start of a cluster."""
    if any(parsed.has_flag(option) is True for option in options if option.startswith("-")):
        return True
    return not {word.text for word in argv}.isdisjoint(options)


def rmlint(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    """rmlint writes a script that deletes what it found; running that script runs unreviewed code."""
    outputs = [value.partition(":")[2] for option, value in pairwise(argv) if option.text in ("-o", "-O", "--output")]
    for file in outputs or [known_word("rmlint.sh")]:
        yield Write(context.resolve_place(file), context.unknown_output("the output of rmlint"), False, context.origin)
    yield PrintedOutput(context.unknown_output("rmlint"))


def degit(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    """degit and tiged copy the files of a repository into a folder."""
    options = Flags("-f,--force -c,--cache -v,--verbose -m,--mode= -s --disable-cache -h,--help").parse(argv)
    for folder in options.operands[1:2]:
        yield Write(context.resolve_place(folder), None, None, context.origin, tree=True)
        if options.has_flag("--force") is True:
            yield Delete(context.resolve_place(folder), True, context.origin._replace(sure=None))
    yield PrintedOutput(context.unknown_output("degit"))


_RENAMES = changes_operands(
    "-f,--force -n,--nono,--dry-run,--no-act -v,--verbose -e= -i,--interactive -o,--no-overwrite -d,--filename",
    skips=1,
    unless="--no-act",
)
ROWS: dict[str, Program] = {
    **dict.fromkeys(("perl-rename", "prename", "file-rename", "rename", "rename.ul"), _RENAMES),
    **dict.fromkeys(("jdupes", "fdupes", "rdfind"), changes_operands("-r,--recurse -R -d,--delete -N,--no-prompt,--noprompt -S -q,--quiet -A -f -1 -n -deleteduplicates", "--delete true", deletes=True)),
    "rmlint": Program(does=rmlint),
    "exiftool": changes_operands("-overwrite_original -r -P -q -m -ext= -all=? -overwrite_original_in_place", "-overwrite_original -overwrite_original_in_place -all= -delete_original"),
    **dict.fromkeys(("ccrypt", "ccencrypt", "ccdecrypt"), changes_operands("-e,--encrypt -d,--decrypt -K,--key= -k,--keyfile= -r,--recursive -f,--force -c,--cat", unless="--cat")),
    **dict.fromkeys(("jpegoptim", "pngcrush", "advpng", "oxipng", "gifsicle"), changes_operands("-m= -f -o= -d,--dest= -s,--strip-all -q,--quiet --all-progressive -n,--noaction -b,--batch", unless="--noaction --dest")),
    "detox": changes_operands("-r -v -n,--dry-run -s=", unless="--dry-run"),
    "convmv": changes_operands("-r -f= -t= --notest --nfc --nfd --replace -i", "--notest"),
    "recode": changes_operands("-f -v -q -t", skips=1),
    "mogrify": changes_operands("-resize= -quality= -format= -path= -strip -auto-orient -rotate= -crop= -density= -depth= -colorspace=", unless="-path -format"),
    "standard": changes_operands("--fix --env= --global= --parser= --plugin=", "--fix"),
    **dict.fromkeys(("degit", "tiged"), Program(does=degit)),
    "prettier": changes_operands("-w,--write -c,--check -l,--list-different --config= --ignore-path= --parser= --plugin= --log-level= --cache", "--write"),
    "eslint": changes_operands("--fix --ext= -c,--config= --rulesdir= -f,--format= --cache --max-warnings= --fix-dry-run --quiet -o,--output-file=", "--fix"),
    "black": changes_operands("-l,--line-length= -t,--target-version= --check --diff -q,--quiet -v,--verbose -c,--code= --config= --exclude= --include= -S --fast", unless="--check --diff --code"),
    **dict.fromkeys(("isort", "autopep8", "yapf", "docformatter", "pyupgrade"), changes_operands("-i,--in-place -r,--recursive -c,--check,--check-only -d,--diff --profile= -l= --py311-plus --py310-plus --py39-plus", unless="--check-only --diff")),
    "ruff": changes_operands("--fix --check --diff -q,--quiet --select= --ignore= --config= --output-format= --line-length= --unsafe-fixes", "--fix format", skips=1, unless="--check --diff"),
    "gofmt": changes_operands("-w -l -d -s -r= -e", "-w"),
    **dict.fromkeys(("clang-format", "shfmt"), changes_operands("-i -w -style= --style= -l -d --dry-run -ci -bn -sr -s", "-i -w", unless="--dry-run")),
    **dict.fromkeys(("stylua", "rustfmt", "dprint", "biome"), changes_operands("--check --write --fix --config-path= --edition= -q,--quiet", unless="--check")),
}  # fmt: skip

"""Filters: programs whose output is derived from their input."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase

from toolgate.flows.endless import ENDLESS_DEVICES
from toolgate.model.effect import Carrier, Interpret, Operation, PrintedOutput, Read, ReportedEffect, Run, Write
from toolgate.model.execution_context import ExecutionContext
from toolgate.model.word import (
    RECOGNIZABLE_LENGTH,
    Hole,
    HoleKind,
    Word,
    encoded_word,
    is_glob,
    is_search_result,
    join_words,
    known_word,
    literal_pattern,
    unknown_word,
)
from toolgate.programs.argv.options import Flags, ParsedOptions
from toolgate.programs.argv.program import INFORMATION_OPTIONS, RECURSIVE_GLOB, Program, make_carrier, program_name
from toolgate.record_fields import PROPERTY, join_known_lines, known_lines, pass_lines

from .character_changes import tr
from .filtered_text import print_filtered, select_known_fields
from .line_patterns import globs_of_expression
from .matching_files import LISTING_OPTIONS, list_matching_files
from .searched_secrets import list_shown_secrets
from .selected_settings import replace_output, select_from_json


@dataclass(frozen=True, slots=True)
class Filter:
    """`skips`: the number of operands before the files (a pattern, a script), unless one of `given_by` supplies them.

    `keeps`: lines pass unchanged, so a partly known line remains partly known. `drops`: some lines are left out.
    `recodes`: the output gives all of the input away. `unless`: options with which it prints something else. `in_place`: options with which the output replaces the files.
    """

    flags: Flags
    skips: int = 0
    given_by: tuple[str, ...] = ()
    keeps: bool = False
    in_place: tuple[str, ...] = ()
    drops: bool = False
    unless: tuple[str, ...] = ()
    recodes: bool = False

    def __call__(self, argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
        options = self.flags.parse(argv)
        if options.has_flag(*INFORMATION_OPTIONS) is True:
            return
        files = list(options.operands)
        if not (self.given_by and options.has_flag(*self.given_by) is True):
            files = files[self.skips :]
        for name, value in options.values:
            if self.flags.roles.get(name) == "read":
                yield Read(context.resolve_place(value), context.origin)
            elif self.flags.roles.get(name) == "write":
                yield Write(context.resolve_place(value), None, False, context.origin)
        filtered = print_filtered(program_name(argv), options, files, context)
        sources = context.unknown_output("").src
        for file in files:
            if file.text == "-":
                sources |= context.stdin.src
                continue
            yield Read(context.resolve_place(file), context.origin)
            sources |= context.read(file).src
        if options.has_flag(*self.in_place) is not False:
            content = unknown_word(program_name(argv), sources)
            yield from (Write(context.resolve_place(file), content, False, context.origin) for file in files)
        if filtered is not None:
            yield PrintedOutput(filtered.from_commands(sources))
            return
        why = f"$({program_name(argv)})"
        if not files:
            sources |= context.stdin.src
            if self.keeps and options.has_flag(*self.unless) is False and (lines := known_lines(context.stdin)):
                kept = [each for line in lines for each in self._kept_lines(line, why, options, argv)]
                yield PrintedOutput(join_words(kept, "\n").from_commands(sources))
                return
        recoded = context.stdin if self.recodes and not files and not _takes_few_characters(options) else Word()
        yield PrintedOutput(encoded_word(why, recoded, sources))

    def _kept_lines(self, line: Word, why: str, options: ParsedOptions, argv: tuple[Word, ...]) -> Iterator[Word]:
        """Yields a line of the input as far as it passes. A pattern narrows the unknown results of a search; `head` drops some."""
        if not self.drops or options.has_flag("--invert-match") is True:  # `grep -v` keeps the lines that do not match
            yield line
            return
        globs = _globs_of_pattern(options, argv) if self.given_by and options.has_flag(*self.given_by) is False else None
        if line.text is None:
            yield from (_narrow_line(line, why, like) for like in globs or ("?**",))
        elif globs is None:
            yield unknown_word(why, like=literal_pattern(line.text.strip()))
        elif any(fnmatchcase(line.text, glob) for glob in globs):
            yield line


def _takes_few_characters(options: ParsedOptions) -> bool:
    """Returns whether only the first characters pass, by which a secret is recognized."""
    count = options.value_of("--bytes", "--characters")
    found = _FIRST_CHARACTERS.fullmatch(count.text) if count is not None and count.text is not None else None
    return found is not None and int(found[1]) <= RECOGNIZABLE_LENGTH


_FIRST_CHARACTERS = re.compile(r"(?:1?-)?(\d{1,9})")


def _narrow_line(line: Word, why: str, like: str) -> Word:
    """Narrows the unknown parts of a line to `like`. A match may begin in the known part of the line."""
    body = like.strip("*?")
    if not like.startswith("**") or any(fnmatchcase(line.head, f"*{body[:end]}") for end in range(1, len(body) + 1)):
        like = "?**"
    parts: list[str | Hole] = []
    for part in line.parts:
        if isinstance(part, str):
            parts.append(part)
        elif is_search_result(part):
            is_replaced = part.like in (RECURSIVE_GLOB, "?**")
            parts.append(part._replace(like=like) if is_replaced else part._replace(kind=HoleKind.SEARCH_RESULT))
        elif is_glob(part):
            parts.append(part._replace(like=like.replace("**", "*") if part.like == "*" else part.like))
        else:
            parts.append(Hole("?*" if part.like == "*" else part.like, why, variable=part.variable))
    return Word(tuple(parts), line.splits, line.src)


def _globs_of_pattern(options: ParsedOptions, argv: tuple[Word, ...]) -> tuple[str, ...] | None:
    """Returns globs for the lines that a pattern matches; None if it is not a simple one."""
    expression = options.operands[0].text if options.operands else None
    if not expression or options.has_flag("-i", "-y", "-w", "-x") is not False:
        return None
    name = argv[0].file_name
    if options.has_flag("-F") is True or name == "fgrep":
        return (f"**{literal_pattern(expression)}**",)
    extended = name in ("egrep", "rg") or options.has_flag("-E", "-P") is True
    return globs_of_expression(expression, extended=extended)


def grep(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    options = GREP.parse(argv)
    if options.has_flag("-r", "-R") is True:
        searched = options.operands if options.has_flag("--regexp", "--file") is True else options.operands[1:]
        yield from (Read(context.resolve_place(folder), context.origin, tree=True) for folder in searched)
        yield from _read_named_files(options.values_of("--include"), searched, context)
        yield from list_shown_secrets(options, searched, context, keeps_to_ignore_files=False)
    effects = Filter(GREP, 1, ("--regexp", "--file"), keeps=True, drops=True, unless=_OTHER_OUTPUT_OPTIONS)(argv, context)
    yield from replace_output(effects, list_matching_files(options, context, options.has_flag("-r", "-R") is True))


def sort(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    options = SORT.parse(argv)
    for program in options.values_of("--compress-program"):
        yield Interpret("shell", program, context.origin, via=Carrier("sort", "--compress-program"))
    for target in options.values_of("--output"):
        yield Write(
            context.resolve_place(target),
            unknown_word("$(sort)", context.stdin.src | context.unknown_output("").src),
            False,
            context.origin,
        )
    yield from Filter(SORT, keeps=True)(argv, context)


def _read_named_files(globs: Iterable[Word], searched: Sequence[Word], context: ExecutionContext) -> Iterator[Read]:
    """Yields the files that a recursive search is limited to."""
    for glob in globs:
        if glob.starts_with("!") is not True:
            for folder in searched or (known_word("."),):
                yield Read(context.resolve_place(folder + known_word("/") + glob), context.origin)


def rg(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    """rg runs `--pre PROGRAM` for every file that it searches."""
    options = RG.parse(argv)
    searched = options.operands if options.has_flag("--regexp", "--file", "--files") is True else options.operands[1:]
    found = unknown_word("a file that rg searches", context.unknown_output("").src)
    yield from (Read(context.resolve_place(folder), context.origin, tree=True) for folder in searched)
    yield from _read_named_files((*options.values_of("--glob"), *options.values_of("--iglob")), searched, context)
    if options.has_flag("--hidden", "-u") is True:
        takes_ignored = options.has_flag("--no-ignore", "-u") is True
        yield from list_shown_secrets(options, searched, context, keeps_to_ignore_files=not takes_ignored)
    for program in options.values_of("--pre"):
        if program.parts:
            files = (each + known_word("/") + found for each in searched or (known_word("."),))
            yield from (Run((program, file), context.origin, Carrier("rg", "--pre")) for file in files)
    yield from (
        Run((program,), context.origin, Carrier("rg", "--hostname-bin")) for program in options.values_of("--hostname-bin")
    )
    effects = Filter(RG, 1, ("--regexp", "--file"), keeps=True, drops=True, unless=_OTHER_OUTPUT_OPTIONS)(argv, context)
    yield from replace_output(effects, list_matching_files(options, context, True))


_HUGE_SIZE = re.compile(r"\d{12,}|\d{3,}\s*[gG]i?[bB]?|\d+\s*[tTpPeE]i?[bB]?")


def head(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    """head: `-c 1T` of an endless device is more than a disk holds."""
    options = HEAD.parse(argv)
    size = options.value_of("--bytes")
    if size is not None and size.text is not None and _HUGE_SIZE.fullmatch(size.text):
        yield Operation("output.endless", context.origin)
    yield from Filter(HEAD, keeps=True, drops=True, unless=("--bytes",), recodes=True)(argv, context)


def tail(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    """tail keeps its input until a line ends, and a device of zeros has no line ends."""
    options = TAIL.parse(argv)
    if options.value_of("--bytes") is None and any(word.text in ENDLESS_DEVICES for word in options.operands):
        yield Operation("memory.fill", context.origin)
    yield from Filter(TAIL, keeps=True, drops=True, unless=("--bytes",), recodes=True)(argv, context)


def cut(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    """cut: characters give a text away, whereas fields may leave the secret out."""
    options = _CUT.parse(argv)
    takes_characters = options.has_flag("--bytes", "--characters") is True
    effects = Filter(_CUT, recodes=takes_characters)(argv, context)
    yield from effects if options.operands else replace_output(effects, select_known_fields(options, context))


_CUT = Flags(
    "-b,--bytes= -c,--characters= -d,--delimiter= -f,--fields= -n -s --complement --output-delimiter= -z --help --version"
)


def less(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    """less, more run `+!CODE` at start; two variables name an input preprocessor."""
    for name in ("LESSOPEN", "LESSCLOSE"):
        filtering = context.get_variable(name)
        if filtering is not None and filtering.text:
            yield Interpret("shell", known_word(filtering.text.lstrip("|-")), context.origin, via=Carrier(name))
    for word in argv[1:]:
        if word.starts_with("+!") is True or word.starts_with("+|") is True:
            yield Interpret("shell", word.drop_first(2), context.origin, via=make_carrier(argv, "+!"))
    files = (argv[0], *(word for word in argv[1:] if word.starts_with("+") is not True))
    yield from Filter(Flags("-N -R -S -F -X -p= -o=write"), keeps=True)(files, context)


def jq(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    """`--arg name value` takes two words, which are text; `--rawfile name file` reads a file."""
    words, n = [argv[0]], 1
    while n < len(argv):
        text = argv[n].text
        if text in ("--arg", "--argjson", "--slurpfile", "--rawfile"):
            if text.endswith("file") and n + 2 < len(argv):
                yield Read(context.resolve_place(argv[n + 2]), context.origin)
                context.read(argv[n + 2])
            n += 3
        elif text in ("--args", "--jsonargs"):  # the words after it are no files
            words += argv[n + 1 : n + 2]
            break
        else:
            words.append(argv[n])
            n += 1
    if any(word.text and _PRINTS_ENVIRONMENT(word.text) for word in words[1:]):
        yield Operation("environment.print", context.origin)
    effects = Filter(JQ, 1, ("--from-file",))(tuple(words), context)
    yield from replace_output(effects, select_from_json(argv, context))


_PRINTS_ENVIRONMENT = re.compile(
    r"(?:.*[\s|(,:{\[])?(?:\$ENV|env)(?![\w.\[$]|\s*[,}:])(?!\s*\|\s*(?:keys|keys_unsorted|length|has|\.)\b)(?!\s*\|\s*\.).*",
    re.DOTALL,
).fullmatch
"""Matches a filter that uses all variables of the environment, and not their names or one of them alone."""
JQ = Flags(
    "-c -r -R -s -S -e -n -j -a -C -M --tab --indent= --unbuffered --slurp --raw-output -f,--from-file=read -L= --seq --stream"
)


def rev(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    """rev on known text. Its output was unreadable before, so it counts as decoded."""
    yield Operation("text.decode", context.origin)
    text = context.stdin.text if len(argv) == 1 else None
    if text is None:
        yield from Filter(Flags(""), recodes=True)(argv, context)
    else:
        yield PrintedOutput(
            known_word("\n".join(line[::-1] for line in text.split("\n")), context.stdin.src | context.unknown_output("").src)
        )


SORT = Flags(
    "-b -d -f -g -i -M -h -n -R -r -u,--unique -V -c -C -m -s -z --reverse --numeric-sort --random-sort -k,--key= -o,--output= -S,--buffer-size="
    " -t,--field-separator= -T,--temporary-directory= --compress-program= --files0-from=read --parallel= --batch-size= --random-source=read --help --version"
)
_OTHER_OUTPUT_OPTIONS = ("--count", "--only-matching", "--line-number", *LISTING_OPTIONS, "-q", "-b", "-H", "--replace", "--json")
GREP = Flags(
    "-e,--regexp= -f,--file=read -E -F -G -P -i,-y -v,--invert-match -w -x -c,--count -l,--files-with-matches -L,--files-without-match -m,--max-count= -o,--only-matching -q -s -b -H -h -n,--line-number -T -Z -z -A,--after-context= -B,--before-context="
    " -C,--context= -a -I -r -R -U -d,--directories= -D,--devices= --include= --exclude= --exclude-dir= --exclude-from=read --color=? --colour=? --label="
    " --line-buffered --binary-files= --help -V,--version"
)
RG = Flags(
    "-e,--regexp= -f,--file=read -A= -B= -C= -c,--count -E,--encoding= -F -g,--glob= -H -h -i -I -j= -L -l,--files-with-matches --files-without-match -M= -m= -N -n,--line-number -o,--only-matching -p -P -q -r,--replace= -s -S -t,--type="
    " -T,--type-not= -u -U -v,--invert-match -w -x -z -a --iglob= --sort= --max-depth= --color= --colors= --context= --pre= --pre-glob= --hostname-bin= -.,--hidden --files --no-ignore --no-ignore-vcs --json --help --version"
)
HEAD = Flags("-n,--lines= -c,--bytes= -q -v -z --help --version")
TAIL = Flags("-n,--lines= -c,--bytes= -f -F --follow=? --pid= -q --retry -s= -v -z --help --version")
_UNIQ = Filter(Flags("-c -d -D -f= -i -s= -u -z -w= --help --version"), keeps=True, unless=("-c",))


def uniq(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    """`uniq INPUT OUTPUT`: the second operand is written."""
    operands = _UNIQ.flags.parse(argv).operands
    if len(operands) > 1:
        source, output = operands[:2]
        content = unknown_word("uniq", context.read(source).src)
        yield Write(context.resolve_place(output), content, False, context.origin)
        argv = tuple(word for word in argv if word is not output)
    options = _UNIQ.flags.parse(argv)
    is_counted = options.has_flag("-c") is True and options.has_flag("-z") is False and not options.operands
    lines = [PROPERTY + known_word(" ") + line for line in known_lines(context.stdin)] if is_counted else []
    yield from replace_output(_UNIQ(argv, context), join_known_lines(lines) if context.stdin.text is None else None)


_SHUF = Flags(
    "-e,--echo -i,--input-range= -n,--head-count= -r,--repeat -z,--zero-terminated -o,--output=write --random-source=read"
)


def shuf(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    """shuf: lines of its input, but with `-e WORDS` or a range of numbers."""
    options = _SHUF.parse(argv)
    is_filter = options.has_flag("--echo", "--input-range", "--zero-terminated") is False
    printed = pass_lines(context.stdin) if is_filter and not options.operands else None
    effects = Filter(_SHUF)(argv, context) if is_filter else Program(_SHUF, "read*").effects_of_call(argv, context)
    yield from replace_output(effects, printed)


ROWS: dict[str, Program] = {
    "shuf": Program(does=shuf),
    "sort": Program(does=sort),
    **dict.fromkeys(("grep", "egrep", "fgrep", "ggrep", "zgrep"), Program(does=grep)),
    "rg": Program(does=rg),
    "head": Program(does=head),
    "tail": Program(does=tail),
    "uniq": Program(does=uniq),
    "cut": Program(does=cut),
    "tr": Program(does=tr),
    "wc": Program(does=Filter(Flags("-c -m -l -L -w --files0-from=read --help --version"))),
    "rev": Program(does=rev),
    "nl": Program(does=Filter(Flags("-b= -d= -f= -h= -i= -l= -n= -p -s= -v= -w="), recodes=True)),
    "fold": Program(does=Filter(Flags("-b -s -w="), recodes=True)),
    "paste": Program(does=Filter(Flags("-d= -s -z"), recodes=True)),
    "join": Program(does=Filter(Flags("-a= -e= -i -j= -o= -t= -v= -1= -2= -z"))),
    "comm": Program(does=Filter(Flags("-1 -2 -3 -z"))),
    "column": Program(does=Filter(Flags("-t -s= -o= -c= -n= -N="))),
    "strings": Program(does=Filter(Flags("-a -f -n= -o -t= -e="))),
    "diff": Program(does=Filter(Flags("-u -r -q -N -a -b -B -i -w -y -U= -C= -x= -X=read --color=?"))),
    "jq": Program(does=jq),
    "od": Program(does=Filter(Flags("-A= -t= -N= -j= -w= -v -c -x"), recodes=True)),
    "hexdump": Program(does=Filter(Flags("-C -v -n= -s= -e= -f=read"), recodes=True)),
    **dict.fromkeys(("less", "more"), Program(does=less)),
    "bat": Program(does=Filter(Flags("-n -p -l= -r= --style= --color= --paging="), keeps=True)),
    "ts": Program(does=Filter(Flags(""), 1)),
    "sponge": Program(Flags("-a"), "write*", silent=True),
    "shellcheck": Program(
        Flags(
            "-a,--check-sourced -C,--color=? -i,--include= -e,--exclude= -f,--format= --list-optional --norc --rcfile=read -o,--enable="
            " -P,--source-path= -s,--shell= -S,--severity= -V,--version -W,--wiki-link-count= -x,--external-sources --extended-analysis= --help"
        ),
        "read*",
    ),
}

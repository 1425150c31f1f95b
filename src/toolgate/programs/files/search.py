"""find and similar programs: the files they find, and their actions on each."""

import re
from collections.abc import Iterator
from fnmatch import fnmatchcase
from itertools import pairwise

from toolgate.model.effect import Carrier, Delete, PrintedOutput, ReportedEffect, Run, Write
from toolgate.model.execution_context import ExecutionContext
from toolgate.model.word import EMPTY, Hole, HoleKind, Word, is_glob, join_words, known_word, literal_pattern
from toolgate.programs.argv.options import Flags, ParsedOptions
from toolgate.programs.argv.program import RECURSIVE_GLOB, Program
from toolgate.record_fields import PROPERTY, fill_format

_NAME_TESTS = ("-name", "-iname", "-path", "-ipath", "-wholename", "-regex", "-iregex")
_MATCH_ALL = ("*", "**", "?*", "./*", ".*")
"""Values of these tests that match everything, except perhaps the folder itself."""
_FILTERING_TESTS = frozenset(
    (
        *_NAME_TESTS,
        "-mtime",
        "-mmin",
        "-atime",
        "-amin",
        "-ctime",
        "-cmin",
        "-size",
        "-empty",
        "-newer",
        "-user",
        "-group",
        "-perm",
        "-uid",
        "-gid",
        "-links",
    )
)
_EXEC_ACTIONS = ("-exec", "-execdir", "-ok", "-okdir")
_NEGATIONS: frozenset[str | None] = frozenset(("!", "-not", "-o", "-or", ",", None))
_PRINTING_ACTIONS, _SILENT_ACTIONS = (
    frozenset(("-print", "-print0", "-printf", "-ls", None)),
    frozenset((*_EXEC_ACTIONS, "-delete")),
)
_WRITING_ACTIONS = ("-fprint", "-fprint0", "-fls", "-fprintf")


def find(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    n, follows = _parse_link_options(argv)
    end = next(
        (k for k in range(n, len(argv)) if argv[k].starts_with("-") is not False or argv[k].text in _EXPRESSION_START), len(argv)
    )
    roots, n = argv[n:end] or (known_word("."),), end
    expression = argv[n:]
    texts = [word.text for word in expression]
    follows = follows or "-follow" in texts
    arguments = _argument_positions(texts)
    found = [each for root in roots for each in _found_paths(root, expression, texts, context)]
    if follows:  # files below a link are deleted before the link
        found.reverse()
    for at, (word, text) in enumerate(zip(expression, texts, strict=True)):
        if at in arguments:
            continue
        if text == "-delete" or (text is None and word.is_any_of("-delete") is None and word.head in ("", "-")):
            tests = _tests_before(at, expression)
            test_texts = [test.text for test in tests]
            finds_everything = _is_everything(test_texts)
            chosen = [
                each
                for root in roots
                for each in ((root,) if finds_everything else _found_paths(root, tests, test_texts, context))
            ]
            for each in _without_empty_folders(test_texts, chosen):
                yield Delete(
                    context.resolve_place(each, follow=follows),
                    True if finds_everything and text else None if not text else False,
                    context.origin,
                )
        elif text in _EXEC_ACTIONS:
            end = next((k for k in range(at + 1, len(texts)) if texts[k] in (";", "+")), len(texts))
            command = expression[at + 1 : end]
            if text.endswith("dir"):
                yield from _run_in_folders(command, roots, Carrier("find", text), context)
            elif texts[end : end + 1] == ["+"]:
                yield Run(_append_all(command, found), context.origin, Carrier("find", text))
            else:
                for each in found:
                    yield Run(tuple(arg.replace_known("{}", each) for arg in command), context.origin, Carrier("find", text))
        elif text in _WRITING_ACTIONS and at + 1 < len(expression):
            yield Write(context.resolve_place(expression[at + 1]), None, False, context.origin)
    yield from _print_found(texts, found, context)


def _print_found(texts: list[str | None], paths: list[Word], context: ExecutionContext) -> Iterator[PrintedOutput]:
    if "-printf" in texts[:-1]:
        yield PrintedOutput(_format_found(texts[texts.index("-printf") + 1], paths, context))
    elif _PRINTING_ACTIONS.intersection(texts) or _SILENT_ACTIONS.isdisjoint(texts):
        mark = "\0" if "-print0" in texts else "\n"
        yield PrintedOutput(join_words(paths, mark) + known_word(mark))


def _format_found(text: str | None, paths: list[Word], context: ExecutionContext) -> Word:
    """Returns what `-printf` prints of each path; unknown if a part of it is a text with blanks, or if lines do not end."""
    own = context.unknown_output("find")
    if text is None or not text.endswith(("\\n", "\\0")):
        return own
    plain = text.replace("\\n", "\n").replace("\\0", "\0").replace("\\t", "\t")
    lines: list[Word] = []
    for path in paths:
        beneath = Word(path.parts[-1:], False, path.src) if isinstance(path.parts[-1], Hole) else EMPTY
        values = {"%": known_word("%"), "p": path, "h": path, "P": beneath, "f": PROPERTY}
        line = fill_format(plain, _DIRECTIVE, _PROPERTIES | values)
        if line is None:
            return own
        lines.append(line)
    return join_words(lines, "").from_commands(own.src)


_PROPERTIES = dict.fromkeys("skbmMugUGindDFHlyYS@+jTY", PROPERTY)
_DIRECTIVE = re.compile(r"%[-0#+ ]*\d*(?:\.\d+)?(?:[ACTB]([@+YmdHMSFTjs])|([%pPfhskbmMugUGindDFHlyYS]))")


def _parse_link_options(argv: tuple[Word, ...]) -> tuple[int, bool]:
    """Returns where the starting points begin, and whether links among them are followed."""
    n, follows = 1, False
    while n < len(argv) and (argv[n].text in ("-H", "-L", "-P", "-D") or argv[n].head.startswith("-O")):
        if argv[n].text in ("-H", "-L", "-P"):
            follows = argv[n].text != "-P"
        n += 2 if argv[n].text == "-D" else 1
    return n, follows


_EXPRESSION_START = ("(", "!", ")", ",")
_match_newer = re.compile("-newer[aBcm][aBcmt]").fullmatch
_WITH_ARGUMENT = frozenset((
    *_FILTERING_TESTS - {"-empty"}, *_WRITING_ACTIONS, "-lname", "-ilname", "-iwholename", "-anewer", "-cnewer", "-inum", "-samefile", "-type", "-xtype",
    "-fstype", "-maxdepth", "-mindepth", "-used", "-context", "-printf", "-regextype", "-files0-from", "-flags", "-Bmin", "-Btime",
    "-Bnewer", "-mnewer", "-since",
))  # fmt: skip


def _argument_positions(texts: list[str | None]) -> set[int]:
    """Returns the positions of patterns, dates and numbers: an unknown word there is no action."""
    found = set[int]()
    for at, text in enumerate(texts):
        if at not in found and text is not None and (text in _WITH_ARGUMENT or _match_newer(text)):
            found.add(at + 1)
    return found


def _tests_before(at: int, expression: tuple[Word, ...]) -> tuple[Word, ...]:
    """Returns the action with the tests of its alternative: `-name A -delete -o -type f -delete` has two. Some options hold for
    all."""
    texts = [word.text for word in expression]
    if "(" in texts:
        return expression
    start = next((n + 1 for n in range(at - 1, -1, -1) if texts[n] in ("-o", "-or", ",")), 0)
    depth = next((n for n in range(start) if texts[n] == "-mindepth"), None)
    return (*(expression[depth : depth + 2] if depth is not None else ()), *expression[start : at + 1])


def _without_empty_folders(texts: list[str | None], words: list[Word]) -> list[Word]:
    """Deleting an empty folder loses nothing; an empty file may be needed by a program."""
    return [] if {"-empty", "d"} <= set(texts) and _NEGATIONS.isdisjoint(texts) else words


def _append_all(command: tuple[Word, ...], words: list[Word]) -> tuple[Word, ...]:
    """`-exec ... {} +`: all paths at once."""
    each = [Word(word.parts, splits=word.text is None, src=word.src) for word in words]
    return tuple(word for arg in command for word in (each if arg.text == "{}" else (arg,)))


def _run_in_folders(command: tuple[Word, ...], roots: tuple[Word, ...], via: Carrier, context: ExecutionContext) -> Iterator[Run]:
    """`-execdir`: run in the folder of the file, with `./` before its name."""
    name = Word(("./", Hole("*", "a name that find finds")), splits=True, src=context.unknown_output("find").src)
    for root in roots:
        path = context.resolve_place(root).path
        top = known_word(path) if path else root if root.starts_with("/") is True else context.cwd + known_word("/") + root
        above = known_word(path.rpartition("/")[0] or "/") if path else top + known_word("/..")
        for folder in (top, above, top + Word(("/", Hole("?**", f"files under {root.display_text}")))):
            words = tuple(word for arg in command for word in ([name] if arg.text == "{}" else [arg.replace_known("{}", name)]))
            yield Run(words, context.origin, via, cwd=folder)


def _has_lower_start(texts: list[str | None]) -> bool:
    """Returns whether the starting point itself is excluded."""
    depth = texts[texts.index("-mindepth") + 1 :][:1] if "-mindepth" in texts else []
    return bool(depth) and depth[0] is not None and depth[0].isdigit() and depth[0] != "0"


def _is_filtered(texts: list[str | None]) -> bool:
    """Returns whether only some files match. `-type d` and `-maxdepth` include the root itself."""
    if not _FILTERING_TESTS.isdisjoint(text for text in texts if text is not None):
        return True
    return ("-type" in texts and "d" not in texts) or (
        "-mindepth" in texts and texts[texts.index("-mindepth") + 1 :][:1] not in ([], ["0"], ["1"])
    )


def _is_everything(texts: list[str | None]) -> bool:
    """Returns whether everything matches, or everything but named files. `-type f` alone leaves only empty folders."""
    end = next((n for n, text in enumerate(texts) if text == "-delete" or text in _EXEC_ACTIONS), len(texts))
    alternative = next((n + 1 for n in range(end - 1, -1, -1) if texts[n] in ("-o", "-or")), 0)
    tests = texts[0 if "(" in texts else alternative : end]
    kept = [
        text
        for before, text, value in zip(["", *tests], tests, [*tests[1:], ""], strict=False)
        if text in _FILTERING_TESTS and not (text in _NAME_TESTS and (before in ("!", "-not") or value in _MATCH_ALL))
    ]
    if kept or ("-mindepth" in texts and _is_filtered(["-mindepth", *texts[texts.index("-mindepth") + 1 :][:1]])):
        return False
    return "-type" not in tests or not {"d", "f"}.isdisjoint(tests)


def _found_paths(root: Word, expression: tuple[Word, ...], texts: list[str | None], context: ExecutionContext) -> list[Word]:
    """Returns the paths as find prints them: the root itself, and something below it with a name as in `-name`."""
    own = context.unknown_output("find").src
    kind = HoleKind.ALL_FOUND if _is_read_completely(texts) else HoleKind.SEARCH_RESULT
    expression, texts = _leave_out_exceptions(expression, texts)
    tests = [n for n, text in enumerate(texts) if text in ("-name", "-iname") and n + 1 < len(texts)]
    if len(tests) > 1 and _are_alternatives(texts, tests):
        return [each for n in tests for each in _found_paths(root, expression[n : n + 2], texts[n : n + 2], context)]
    name = expression[tests[0] + 1].outline if tests and "-o" not in texts and "!" not in texts else None
    inside = _glob_of_path_test(texts)
    if name:
        like = f"{inside.removesuffix('/**')}/**/{name}" if inside.endswith("/**") else f"**/{name}"
    else:
        like = RECURSIVE_GLOB if _is_everything(texts) else inside
    hole = Hole(like, f"results of find in {root.display_text}", kind=kind)
    slash = () if root.text == "/" else ("/",)
    below = Word(("/", hole), src=own) if not slash else root + Word(("/", hole), src=own)
    if _has_lower_start(texts):
        return [below]
    if not _is_filtered(texts):
        return [root.from_commands(own), below]
    itself = root.text is not None and name is not None and fnmatchcase(root.text.rstrip("/").rpartition("/")[2], name)
    return [root.from_commands(own), below] if itself else [below]


def _leave_out_exceptions(expression: tuple[Word, ...], texts: list[str | None]) -> tuple[tuple[Word, ...], list[str | None]]:
    """Returns an expression without names that it excepts (`! -name '*.pub'`), which another name limits."""
    excepted = {n for n, (mark, test) in enumerate(pairwise(texts)) if mark in ("!", "-not") and test in ("-name", "-iname")}
    is_limited = any(test in ("-name", "-iname") and n - 1 not in excepted for n, test in enumerate(texts))
    kept = [n for n in range(len(texts)) if not (is_limited and {n, n - 1, n - 2} & excepted)]
    return tuple(expression[n] for n in kept), [texts[n] for n in kept]


def _is_read_completely(texts: list[str | None]) -> bool:
    """Returns whether the glob of the results expresses every test: names and paths of files."""
    end = next((n for n, text in enumerate(texts) if text in _ACTIONS), len(texts))
    tests, values = texts[0:end:2], texts[1:end:2]
    paths = sum(test in _PATH_TESTS for test in tests)
    is_plain = len(tests) == len(values) and _EXPRESSED_TESTS.issuperset(tests) and paths <= 1 and len(tests) == len(set(tests))
    return (
        is_plain and ("-type", "d") not in zip(tests, values, strict=False) and (not paths or _glob_of_path_test(texts) != "?**")
    )


_PATH_TESTS = ("-path", "-wholename", "-ipath")
_EXPRESSED_TESTS = frozenset(("-name", "-type", *_PATH_TESTS))
_ACTIONS = (*_EXEC_ACTIONS, "-print", "-print0", "-printf")


def _glob_of_path_test(texts: list[str | None]) -> str:
    """Returns a glob for the paths below the root that a `-path` test matches, whose star may be several folders: for
    `*/NAME/*`, `*/NAME/NAME` and `*NAME*`. For any other test something below it."""
    patterns = [value for test, value in pairwise(texts) if test in _PATH_TESTS]
    found = _PATH_PATTERN.fullmatch(patterns[0] or "") if len(patterns) == 1 else None
    if found is None or {"-o", "-or", "!", "-not", "("} & set(texts):
        return "?**"
    start, body, end = found.groups()
    beginning = "" if start == "*/" else "*"
    return f"**/{beginning}{body}" + {"": "", "/*": "/**", "*": "*/**"}[end]


_PATH_PATTERN = re.compile(r"(\*/?)([^*?\[]*[^*?\[/])(|/\*|\*)")


def _are_alternatives(texts: list[str | None], tests: list[int]) -> bool:
    """Returns whether the tests are `-name A -o -name B`, with nothing else between them."""
    between = [texts[at + 2 : after] for at, after in pairwise(tests)]
    first = [
        text
        for text in texts[: tests[0]]
        if text not in ("(", "-type", "f", "d", "l", "-maxdepth") and not (text or "?").isdigit()
    ]
    return not first and all(part in (["-o"], ["-or"]) for part in between)


def fd(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    """fd PATTERN [PATH...] [-x COMMAND... | -X COMMAND...]"""
    fd_options = Flags(
        "-H,--hidden -I,--no-ignore -u,--unrestricted -e,--extension= -E,--exclude= -t,--type= -d,--max-depth= -s,--case-sensitive -i,--ignore-case"
        " -g,--glob -F,--fixed-strings -a,--absolute-path -l,--list-details -L,--follow -p,--full-path -0,--print0 -S,--size= --changed-within="
        " --changed-before= -o,--owner= --min-depth= --exact-depth= --search-path= -j,--threads= -c,--color= -q,--quiet -1 --max-results="
    )
    cut = next((n for n, word in enumerate(argv) if word.text in ("-x", "-X", "--exec", "--exec-batch")), len(argv))
    read = fd_options.parse(argv[:cut])
    roots = read.operands[1:] or [known_word(".")]
    narrow = bool(read.operands and read.operands[0].text not in (".", "")) or not read.flags.isdisjoint(
        ("--extension", "--type", "--size")
    )
    own = context.unknown_output("fd").src
    found = [
        (
            root + Word(("/", Hole(_pattern_of_fd(read), f"results of fd in {root.display_text}", kind=HoleKind.SEARCH_RESULT)))
        ).from_commands(own)
        if narrow
        else root.from_commands(own)
        for root in roots
    ]
    command = argv[cut + 1 :]
    for each in found:
        if command:
            words = tuple(word.replace_known("{}", each) for word in command if word.text != ";")
            named = any(word.contains("{") is not False for word in command)
            yield Run(words if named else (*words, each), context.origin, Carrier("fd", "-x"))
    yield PrintedOutput(join_words(found, "\n") + known_word("\n"))


_FILE_TYPES = ("f", "file")


def _pattern_of_fd(options: ParsedOptions) -> str:
    """Returns a glob for the names that fd searches; its pattern is a regular expression by default."""
    extension, pattern = options.value_of("--extension"), options.operands[0].text if options.operands else None
    kind = options.value_of("--type")
    if (
        pattern in (".", "", None)
        and options.has_flag("--extension", "--size") is False
        and kind is not None
        and kind.text in _FILE_TYPES
    ):
        return RECURSIVE_GLOB
    if extension is not None and extension.text:
        return f"**/*.{extension.text}"
    if pattern and options.has_flag("--glob") is True and "/" not in pattern:
        return f"**/{pattern}"
    if pattern and re.fullmatch(r"\\\.\w+\$", pattern):
        return f"**/*{pattern[1:-1]}"
    if pattern and re.fullmatch(r"[\w-]+", pattern):
        return f"**/*{pattern}*"
    return "?**"


LS = Flags(
    "-R,--recursive -I,--ignore= -w,--width= -T,--tabsize= --color=? --sort= --time= --block-size= -d,--directory -1 -a,--all -A,--almost-all -t -r,--reverse -S -U -X -v -f"
    " -h -F -p -l -g -o -n -s -i -Z --help --version"
)
_LS_DETAIL_OPTIONS = ("-l", "-g", "-o", "-n", "-s", "-i", "-Z", "-F", "-p", "--help", "--version")


def ls(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    """ls prints its operands, and the matches of globs among them; with `-d` also folders."""
    options = LS.parse(argv)
    itself = options.has_flag("--directory") is True or all(_is_file_glob(word) for word in options.operands)
    if options.operands and itself and options.has_flag(*_LS_DETAIL_OPTIONS) is False:
        yield PrintedOutput(join_words(options.operands, "\n").from_commands(context.unknown_output("ls").src) + known_word("\n"))
    elif (
        not options.operands
        and options.has_flag(*_LS_DETAIL_OPTIONS, "--all", "--almost-all", "-f", "--recursive", "-d", "--directory") is False
    ):
        hole = Hole("*", "the output of ls")
        yield PrintedOutput(Word((hole,), src=context.unknown_output("ls").src) + known_word("\n"))
    else:
        yield PrintedOutput(context.unknown_output("ls"))


def _is_file_glob(word: Word) -> bool:
    """Returns whether the last name is a glob, which mostly matches files."""
    return any(
        is_glob(part) and not any(isinstance(after, Hole) or "/" in after for after in word.parts[n + 1 :])
        for n, part in enumerate(word.parts)
    )


def locate(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    """Prints files anywhere on this machine, found by a part of their paths."""
    src = context.unknown_output(argv[0].display_text).src
    patterns = [word.text for word in argv[1:] if word.text is not None and not word.text.startswith("-")]
    globs: list[str] = []
    for each in patterns:
        named = literal_pattern(each).lstrip("/")  # a file of that very name, and any other that contains it
        is_glob_given = any(sign in each for sign in "*?[")
        globs += [f"**/*{each.lstrip('*')}"] if is_glob_given else [f"**/{named}", f"**/*{named}*"]
    found = [
        Word(("/", Hole(glob.removeprefix("/"), "files found on this machine", kind=HoleKind.SEARCH_RESULT)), src=src)
        for glob in globs or ("**/*",)
    ]
    yield PrintedOutput(join_words(found, "\n") + known_word("\n"))


ROWS: dict[str, Program] = {
    **dict.fromkeys(("locate", "mlocate", "plocate", "mdfind"), Program(does=locate)),
    "ls": Program(does=ls),
    "find": Program(does=find),
    "gfind": Program(does=find),
    "fd": Program(does=fd),
    "fdfind": Program(does=fd),
}

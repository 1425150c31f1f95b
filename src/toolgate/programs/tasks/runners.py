"""Task runners: the commands that the project's own files define under a name."""

from collections.abc import Iterator
from functools import partial

from toolgate.model.effect import Carrier, Interpret, PrintedOutput, ReportedEffect, Run
from toolgate.model.execution_context import ExecutionContext
from toolgate.model.glob import find_wildcards
from toolgate.model.word import Hole, Word, glob_hole, join_words, known_word
from toolgate.programs.argv.options import Flags
from toolgate.programs.argv.program import Program, make_carrier

from . import justfiles
from .makefiles import Makefile, is_exempt_from_dry_run
from .task_files import File, find_nearest, interpret_step, read_candidates, read_stdin_file, resolve_folder
from .taskfiles import TASKFILES, mise_folders, mise_steps, task_steps


def make(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    """The recipes of the targets; SHELL='...' and --eval run text from the command line."""
    options = MAKE.parse(argv)
    settings: dict[str, Word] = {}
    targets: list[Word] = []
    for word in options.operands:
        name, assigned, value = word.partition("=")
        if not assigned:
            targets.append(word)
            continue
        settings[(name.text or "").rstrip(":+?!")] = value
        if name.text in ("SHELL", ".SHELLFLAGS", "MAKEFLAGS"):
            yield Interpret("shell", value, context.origin, via=Carrier("make", name.text))
    for code in options.values_of("--eval"):
        yield Interpret("make", code, context.origin, via=Carrier("make", "--eval"))
    named = options.value_of("--file")
    names = (named,) if named is not None else tuple(map(known_word, ("GNUmakefile", "makefile", "Makefile")))
    without_execution = options.has_flag("--dry-run", "--question", "--touch") is True
    if without_execution:
        settings["MAKE"] = known_word("make --dry-run")
    known_targets = [word.text for word in targets if word.text]
    if options.has_flag("--help", "--version") is not True and (known_targets or not targets):
        here = resolve_folder(options.value_of("--directory"), context)
        from_stdin = named is not None and named.text in ("-", "/dev/stdin")
        if from_stdin and context.stdin.text is None:
            yield Interpret("make", context.stdin, context.origin, via=Carrier("make", "-f -"))
        read_first = [files.text or "" for files in context.get_variables("MAKEFILES")]
        files = list(read_stdin_file(here, context) if from_stdin else read_candidates(names, here, context))
        if read_first and not files and here is not None:
            files = [File(f"{here}/Makefile", "", frozenset())]
        for file in files:
            within = file.path.rpartition("/")[0] or "/"
            find = partial(_texts_of_files, within=within, context=context)
            is_overridden = options.has_flag("--environment-overrides") is not False
            makefile = Makefile.parse(file.text, find, settings, read_first, incomplete=is_overridden)
            target_names = known_targets or [makefile.default_target() or ""]
            steps = makefile.list_steps(target_names, is_exempt_from_dry_run if without_execution else lambda _line: True)
            yield from (interpret_step(each, file, context) for each in steps if each.text.parts)
    yield PrintedOutput(context.unknown_output("make"))


MAKE = Flags(
    "-C,--directory= -f,--makefile,--file= -I,--include-dir= -j,--jobs=? -k,--keep-going -n,--just-print,--recon,--dry-run -q,--question -s,--silent,--quiet"
    " -t,--touch -B,--always-make -d --debug=? -e,--environment-overrides -i,--ignore-errors -l,--load-average=? -o,--old-file= -O,--output-sync=? -p -r -R -S"
    " -w,--print-directory -W,--what-if= --no-print-directory --eval= -h,--help -v,--version --trace --warn-undefined-variables"
)


def _texts_of_files(name: str, within: str, context: ExecutionContext) -> list[str]:
    """Returns the texts of the files that a name or pattern matches."""
    if not set(name) & set("*?["):
        return [other.text for other in read_candidates((known_word(name),), within, context)]
    parts: list[str | Hole] = []
    at = 0
    for start, end in find_wildcards(name):
        parts += (name[at:start], glob_hole(name[start:end]))
        at = end
    beneath = known_word("" if name.startswith("/") else f"{within.rstrip('/')}/")
    pattern = Word(tuple(part for part in (*parts, name[at:]) if part))
    return [text.text for text in context.read_followed_code(beneath + pattern) if text.text is not None]


def just(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    options = Flags(
        "-f,--justfile= -d,--working-directory= -n,--dry-run -l,--list --set= -q,--quiet --summary --dump --evaluate --choose --fmt -v,--verbose -s,--show="
        " -u --unsorted --shell= --init -e --edit --check -h,--help -V,--version"
    ).parse(argv)
    marks = [n for n, word in enumerate(argv) if word.text in ("-c", "--command")]
    if marks:  # the words after it run unchanged
        yield Run(
            argv[marks[0] + 1 :], context.origin, make_carrier(argv, "--command"), cwd=options.value_of("--working-directory")
        )
    elif (
        options.has_flag("--dry-run", "--list", "--summary", "--dump", "--evaluate", "--show", "--help", "--version") is not True
    ):
        for file in _find_task_files(
            options.value_of("--justfile"),
            ("justfile", "Justfile", ".justfile"),
            options.value_of("--working-directory"),
            context,
        ):
            found = justfiles.find_steps(justfiles.read_justfile(file, context), list(options.operands))
            yield from (interpret_step(each, home, context) for each, home in found)
    yield PrintedOutput(context.unknown_output("just"))


def task(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    """Task (taskfile.dev). It runs its commands in a built-in shell similar to bash."""
    options = Flags(
        "-d,--dir= -t,--taskfile= -n,--dry -l,--list -a,--list-all --summary -s,--silent -f,--force -p,--parallel -v,--verbose -w,--watch -y,--yes"
        " -g,--global -C,--concurrency= -i,--init --status -x,--exit-code -o,--output= -I,--interval= -c,--color -h,--help --version -j,--json"
    ).parse(argv, stop=True)
    words, more = _split_at_dashes(list(argv[options.rest :]))
    settings = {left.text or "": value for left, assigned, value in (word.partition("=") for word in words) if assigned}
    task_names = [word.text or "" for word in words if "=" not in word.outline and word.starts_with("-") is not True]
    is_rehearsal = any(word.text in ("--dry", "-n") for word in words)  # options may follow the names of tasks
    if (
        not is_rehearsal
        and options.has_flag("--dry", "--list", "--list-all", "--summary", "--status", "--help", "--version", "--init")
        is not True
    ):
        for file in _find_task_files(options.value_of("--taskfile"), TASKFILES, options.value_of("--dir"), context):
            find = partial(_texts_of_files, within=file.path.rpartition("/")[0] or "/", context=context)
            places = {"HOME": known_word(context.home), "USER_WORKING_DIR": context.cwd}
            places["ROOT_DIR"] = known_word(file.path.rpartition("/")[0] or "/")
            steps = task_steps(file.text, task_names, {**places, **settings, "CLI_ARGS": join_words(more)}, find)
            yield from (interpret_step(each, file, context) for each in steps)
    yield PrintedOutput(context.unknown_output("task"))


def _find_task_files(
    chosen: Word | None, names: tuple[str, ...], folder: Word | None, context: ExecutionContext
) -> Iterator[File]:
    """Yields the file that an option chooses, otherwise the nearest one of these names."""
    if chosen is None:
        return find_nearest(names, folder, context)
    return read_candidates((chosen,), resolve_folder(folder, context), context)


def _split_at_dashes(words: list[Word]) -> tuple[list[Word], list[Word]]:
    at = next((n for n, word in enumerate(words) if word.text == "--"), len(words))
    return words[:at], words[at + 1 :]


def mise(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    """`mise run NAME`, `mise NAME`, `mise exec TOOL -- COMMAND`."""
    options = Flags(
        "-C,--cd= -E,--env= -j,--jobs= -q,--quiet -v,--verbose -y,--yes -n,--dry-run -f,--force -c,--command= -h,--help --version"
    ).parse(argv, stop=True)
    words = list(argv[options.rest :])
    verb = words[0].text if words else None
    if verb in ("exec", "x"):
        _, command = _split_at_dashes(words[1:])
        yield from (
            Interpret("shell", code, context.origin, via=Carrier("mise", "exec -c"))
            for code in Flags("-c,--command=").parse(argv).values_of("-c")
        )
        if command:
            yield Run(tuple(command), context.origin, Carrier("mise", "exec"))
    if verb in ("run", "r", "watch", "tasks", "task"):
        words = words[2:] if [word.text for word in words[1:2]] == ["run"] else words[1:]
    words = [word for n, word in enumerate(words) if n or word.starts_with("-") is not True]
    if not words or options.has_flag("--help", "--version", "--dry-run") is True:
        return
    for name, rest in _split_tasks(words):
        folders = list(_MISE_TASK_FOLDERS)
        for file in find_nearest(_MISE_FILES, options.value_of("--cd"), context):
            find = partial(_texts_of_files, within=file.path.rpartition("/")[0] or "/", context=context)
            yield from (interpret_step(each, file, context) for each in mise_steps(file.text, name, rest, find))
            folders += mise_folders(file.text)
        for beneath in folders if name else ():
            own = known_word(f"./{beneath.strip('/')}/{name.replace(':', '/')}")
            if context.read_alternatives(own):
                yield Run((own, *rest), context.origin, Carrier("mise", "run"))
    yield PrintedOutput(context.unknown_output("mise"))


def _split_tasks(words: list[Word]) -> list[tuple[str, list[Word]]]:
    """Splits `mise run a x ::: b` into tasks, each with its own words."""
    found: list[list[Word]] = [[]]
    for word in words:
        if word.text == ":::":
            found.append([])
        elif word.text != "--":
            found[-1].append(word)
    return [(each[0].text or "", each[1:]) for each in found if each]


_MISE_TASK_FOLDERS = ("mise-tasks", ".mise-tasks", ".mise/tasks", "mise/tasks", ".config/mise/tasks")
_MISE_FILES = ("mise.toml", ".mise.toml", "mise.local.toml", "mise/config.toml", ".mise/config.toml", ".config/mise.toml")


ROWS: dict[str, Program] = {
    **dict.fromkeys(("make", "gmake"), Program(does=make)),
    "just": Program(does=just),
    **dict.fromkeys(("task", "go-task"), Program(does=task)),
    "mise": Program(does=mise),
}

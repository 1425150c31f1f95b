"""Simple commands: their words and redirects, and how they are run: as a function, a builtin or a program."""

from collections.abc import Generator
from itertools import product
from typing import Any

from toolgate.model.effect import Carrier, Environment, Interpret
from toolgate.model.errors import LimitError
from toolgate.model.generalization import generalize
from toolgate.model.word import EMPTY, Word, join_words, known_word, unknown_word
from toolgate.shell.domain.frame import ERRORS_AS_OUTPUT
from toolgate.shell.domain.protocol import NUMBER, Command, Evaluation, Request, Values, shadows_program
from toolgate.shell.domain.state import Shell
from toolgate.shell.domain.values import MAX_ALTERNATIVES, first_element, join_alternatives
from toolgate.shell.syntax import dash_builtins
from toolgate.shell.syntax.tree import Assignment, ShellWord, Simple

from . import builtins, directory_builtins
from .builtin_context import BuiltinContext, Runners, Walk
from .expansion import expand_word, literal_word
from .functions import PreparedCommand, call_function
from .redirection_failures import may_fail_to_open
from .redirects import Outputs, open_redirects, resolve_descriptor_names, restore_errors, write_output
from .signal_handlers import accept_trace_prompts
from .variables import assigned_values, is_local_outside_function, shadows_variables
from .word_splitting import Fields

MAX_WORDS = 20_000


def walk_simple_command(node: Simple, shell: Shell, readers: Runners) -> Evaluation:
    shell.span = node.span
    number: int = yield NUMBER
    shell.number = number
    shell.assume_success()
    if shell.past.prompts:
        yield from accept_trace_prompts(readers.run_text, shell)
    if not node.words:
        yield from _walk_assignments(node, shell, number, readers)
        return
    printed_before = shell.printed
    choices = yield from _expand_arguments(node.words, shell, readers.walk)
    if "keyword" in shell.options:
        choices += _take_keywords(choices, shell)
    has_printed = shell.printed is not printed_before  # the output of `tee >(sort)` may come later
    shell.number = number
    if node.assignments or node.redirects:
        yield from _run_with_redirects(node, choices, shell, number, readers)
    else:
        choices = resolve_descriptor_names(choices, shell)
        sole = len(choices) == 1
        ways = [PreparedCommand(tuple(argv), {}, {}, None, node, [], sole) for argv in choices]
        yield from _run_alternatives(ways, shell, readers)
        shell.number = number
    if has_printed:
        shell.emit_output(EMPTY, unknown_word(">(...)"))


def _take_keywords(choices: list[Fields], shell: Shell) -> list[Fields]:
    """Returns the arguments without those that `set -k` makes variables of the command."""
    kept: list[Fields] = []
    for argv in choices:
        kept.append([])
        for word in argv:
            name, assigns, value = word.partition("=")
            if assigns and (name.text or "").isidentifier() and kept[-1]:
                shell.assign(name.text or "", (value.as_single_word(), *shell.get_values(name.text or "")))
                shell.exported[name.text or ""] = True
            else:
                kept[-1].append(word)
    return [argv for argv in kept if argv not in choices]


def _run_with_redirects(node: Simple, choices: list[Fields], shell: Shell, number: int, readers: Runners) -> Evaluation:
    """Runs a command with assignments before it, or with redirects."""
    was = dict(shell.variables)
    assigned = (yield from _evaluate_assignments(node, shell, readers.walk)) if node.assignments else {}
    shell.number, options = number, shell.options
    stdins, outputs, doubts = yield from open_redirects(node.redirects, shell, number, readers.walk)
    changed_names = (
        [name for name, values in shell.variables.items() if was.get(name) != values] if shell.variables != was else ()
    )
    exported = {
        name: first_element(values[0]) if len(values) == 1 else generalize(map(first_element, values))
        for name, values in assigned.items()
    }
    for name, value in exported.items():
        yield Environment(name, value, shell.current_origin())
        if name == "PS4":
            shell.expand_trace_prompt((value,))
    before = shell.begin_capture()
    choices = resolve_descriptor_names(choices, shell)
    ways = [
        PreparedCommand(tuple(argv), exported, assigned, stdin, node, outputs, sole=len(choices) == 1)
        for argv, stdin in product(choices, stdins or (None,))
    ]
    changes = doubts and any(_may_change_shell(way.argv, shell) for way in ways)
    unopened = shell.copy() if changes and (yield from may_fail_to_open(doubts, shell)) else None
    lost = changed_names and [
        name for name in changed_names if name in assigned or any(_may_be_own_process(way.argv, shell) for way in ways)
    ]
    yield from _run_alternatives(ways, shell, readers)
    for name in lost:
        shell.variables[name] = join_alternatives((*shell.get_values(name), *was.get(name, (EMPTY,))))
    if assigned and any(_may_be_no_command(way.argv) for way in ways):
        is_certain = all(not way.argv for way in ways)
        for name, values in assigned.items():
            shell.assign(name, values if is_certain else join_alternatives((*values, *shell.get_values(name))))
    if unopened is not None:
        shell.join_failed_open(unopened)
    printed = shell.end_capture(before)
    shell.number = number
    yield from write_output(printed, outputs, shell, number)
    if all(way.argv and way.argv[0].text != "exec" for way in ways):
        restore_errors(options, shell)


def _run_alternatives(ways: list[PreparedCommand], shell: Shell, readers: Runners) -> Evaluation:
    if len(ways) > 1:
        yield from _run_each_on_own_path(ways, shell, readers)
    elif ways[0].argv:
        yield from _run_command(ways[0], shell, readers)


def _evaluate_assignments(node: Simple, shell: Shell, walk: Walk) -> Generator[Request, Any, dict[str, Values]]:
    """Returns the variables assigned for one command only; each assignment sees those before it (`x=/ y=$x env`)."""
    assigned: dict[str, Values] = {}
    hidden: dict[str, Values | None] = {}
    for assignment in node.assignments:
        values = yield from assigned_values(assignment, shell, walk)
        assigned[assignment.name] = values
        if len(node.assignments) > 1:
            hidden.setdefault(assignment.name, shell.variables.get(assignment.name))
            kept = shell.get_values(assignment.name) if "r" in shell.attributes.get(assignment.name, "") else ()
            shell.variables[assignment.name] = (*values, *kept)
    for name, before in hidden.items():
        if before is None:
            del shell.variables[name]
        else:
            shell.variables[name] = before
    return assigned


def _may_be_no_command(argv: tuple[Word, ...]) -> bool:
    """Returns whether every word may expand to nothing (`x=1 $unset`): assignments before them are then the shell's own."""
    return all(word.splits and not word.pattern.strip("*") for word in argv)


def _may_change_shell(argv: tuple[Word, ...], shell: Shell) -> bool:
    """Returns whether this may change the shell that runs it."""
    name = argv[0].text if argv else None
    return name in shell.functions or builtins.find_builtin(name) not in _INERT_BUILTINS


_INERT_BUILTINS = (None, builtins.do_nothing, builtins.print_state, builtins.test, directory_builtins.pwd)


def _may_be_own_process(argv: tuple[Word, ...], shell: Shell) -> bool:
    """Returns whether this may run in a process of its own. bash and zsh open its files in that process, and zsh assigns its
    variables there, too: an assignment by such an expansion (`> ${x:=new}`) is lost to the shell. dash keeps it."""
    name = argv[0].text if argv else ""
    bodies = shell.functions.get(name, ()) if name else ()
    if name == "" or name in _SHELL_ONLY_BUILTINS or shadows_program(bodies):
        return False
    return builtins.find_builtin(name) in (None, builtins.run_precommand)


_SHELL_ONLY_BUILTINS = frozenset(("echo", "kill", "print", "type"))


def _run_each_on_own_path(ways: list[PreparedCommand], shell: Shell, readers: Runners) -> Evaluation:
    """Runs each of several commands that an unknown variable makes possible on its own path. Commands that leave the shell as it
    is need no copies of it."""
    if not any(_may_change_shell(way.argv, shell) for way in ways):
        yield from _run_each_for_output(ways, shell, readers)
        return
    paths: list[Shell] = []
    for way in ways:
        path = shell.copy()
        if way.argv:
            yield from _run_command(way, path, readers)
        paths.append(path)
    shell.replace_by_join(paths)


def _run_each_for_output(ways: list[PreparedCommand], shell: Shell, readers: Runners) -> Evaluation:
    before, outputs = shell.begin_capture(), list[Word]()
    for way in ways:
        if way.argv:
            yield from _run_command(way, shell, readers)
        outputs += shell.begin_capture()
    shell.end_capture(before)
    shell.emit_output(*join_alternatives(outputs))


def _walk_assignments(node: Simple, shell: Shell, number: int, readers: Runners) -> Evaluation:
    """Runs assignments in order: each sees those before it."""
    unassigned = shell.copy() if node.assignments and node.redirects else None
    for assignment in node.assignments:
        values = yield from assigned_values(assignment, shell, readers.walk)
        shell.assign(assignment.name, values)
        _change_own_parameter(assignment.name, values, shell)
        if shell.frame.dialect.may_be_zsh and assignment.name in _CODE_PARAMETERS:
            for word in (word for value in values for word in (value if isinstance(value, tuple) else (value,))):
                yield Interpret("shell", word, shell.current_origin(), via=Carrier(assignment.name))
        if assignment.name in shell.exported or assignment.name in shell.frame.environ or assignment.name.isupper():
            for value in values:
                yield Environment(assignment.name, first_element(value), shell.current_origin())
    shell.number = number
    stdins, outputs, doubts = yield from open_redirects(node.redirects, shell, number, readers.walk)
    if unassigned is not None and (yield from may_fail_to_open(doubts, shell)):
        shell.join_failed_open(unassigned)
    if node.redirects:
        yield from _run_null_command(node, stdins, outputs, shell, readers)
    yield from write_output(join_alternatives((EMPTY, *stdins)), outputs, shell, number)


def _change_own_parameter(name: str, values: Values, shell: Shell) -> None:
    """Changes what else of the shell a variable stands for: its stack of directories, or its name."""
    if name not in _OWN_PARAMETERS:
        return
    words = tuple(word for value in values for word in (value if isinstance(value, tuple) else (value,)))
    if name in ("DIRSTACK", "dirstack"):
        shell.stack, shell.stacked = (*shell.stack, words), False
    elif name in _TIED_ARRAYS and shell.frame.dialect.may_be_zsh:
        shell.assign(name.upper(), (join_words(words, ":"),))
    elif name == "BASH_ARGV0":
        shell.arguments = tuple(dict.fromkeys((word, *arguments[1:]) for arguments in shell.arguments for word in words))


_TIED_ARRAYS = ("path", "cdpath")
_OWN_PARAMETERS = frozenset(("DIRSTACK", "dirstack", *_TIED_ARRAYS, "BASH_ARGV0"))
_CODE_PARAMETERS = frozenset(("functions", "commands", "aliases", "galiases", "saliases", "mapfile"))
"""zsh's own parameters whose values are run under the names of their keys."""


def _run_null_command(node: Simple, stdins: tuple[Word, ...], outputs: Outputs, shell: Shell, readers: Runners) -> Evaluation:
    """Runs zsh's `$NULLCMD` or `$READNULLCMD` for redirects without a command: one word, otherwise `cat` or `more`."""
    stdin = generalize(stdins) if stdins else None
    for name in ("NULLCMD", "READNULLCMD"):
        for value in shell.get_values(name) if shell.is_set(name) else ():
            if first_element(value).parts:
                path = shell.copy_as_possible()
                yield from _run_command(
                    PreparedCommand((first_element(value),), {}, {}, stdin, node, outputs, sole=False), path, readers
                )
                shell.join(path)


def _expand_arguments(
    words: "tuple[ShellWord | Assignment, ...]", shell: Shell, walk: Walk
) -> Generator[Request, Any, list[Fields]]:
    lists: list[Fields] = [[]]
    for word in words:
        if isinstance(word, Assignment):
            values = yield from assigned_values(word, shell, walk)
            more: list[Fields] = [[known_word(f"{word.name}=") + first_element(value)] for value in values]
            if any(isinstance(value, tuple) for value in values):
                if shadows_variables(words):
                    values = values if word.elements is not None else (*values, *map(first_element, values))  # a new variable
                    shell.shadow_variable(word.name)
                kept = shell.get_values(word.name) if is_local_outside_function(words, shell) else ()
                shell.assign(word.name, join_alternatives((*values, *kept)))
        elif (plain := literal_word(word)) is not None:
            more = [[plain]]
        else:
            more = yield from expand_word(word, shell, walk)
        if len(more) == 1:
            for known_so_far in lists:
                known_so_far.extend(more[0])
        else:
            lists = [a + b for a, b in product(lists, more)]
        if len(lists) > MAX_ALTERNATIVES:
            lists = _merge_lists(lists)
        if (len(lists[0]) if len(lists) == 1 else sum(map(len, lists))) > MAX_WORDS:
            raise LimitError("a command has more arguments than the gate follows")
    return lists


def _merge_lists(lists: list[Fields]) -> list[Fields]:
    """Generalizes argument lists of the same length, column by column, if there are too many."""
    by_length: dict[int, list[Fields]] = {}
    for fields in lists:
        by_length.setdefault(len(fields), []).append(fields)
    return [[generalize(column) for column in zip(*group, strict=True)] for group in by_length.values()]


def _run_command(prepared: PreparedCommand, shell: Shell, readers: Runners) -> Evaluation:
    """Runs one command with one list of arguments: a function, a builtin or a program."""
    may_be_a_function = prepared.argv[0].text in shell.functions
    return (_run_possible_function if may_be_a_function else _run_builtin_or_program)(prepared, shell, readers)


def _run_possible_function(prepared: PreparedCommand, shell: Shell, readers: Runners) -> Evaluation:
    bodies = shell.functions.get(prepared.argv[0].text or "", ())
    if len(bodies) == 1 and bodies[0].sure:
        yield from call_function(bodies[0], prepared, shell, readers.walk)
        return
    paths: list[Shell] = []
    for body in bodies:
        path = shell.copy_as_possible()
        yield from call_function(body, prepared, path, readers.walk)
        paths.append(path)
    if shadows_program(bodies):
        shell.replace_by_join(paths)
        return
    for path in paths:
        path.accept_either_outcome()
    yield from _run_builtin_or_program(prepared, shell, readers)
    shell.join(*paths)


def _run_builtin_or_program(prepared: PreparedCommand, shell: Shell, readers: Runners) -> Evaluation:
    """Runs a builtin of that name, or a program."""
    name = prepared.argv[0].text
    if (
        name in dash_builtins.BUILTINS_ENDING_DASH
        and shell.frame.dialect.may_be_dash
        and dash_builtins.is_missing_in_dash(prepared.argv)
    ):
        shell.record_exit("exit")
    if shell.frame.dialect.is_dash and dash_builtins.is_missing_in_dash(prepared.argv):
        return
    stdin = shell.stdin if prepared.stdin is None else prepared.stdin
    if (own := builtins.find_builtin(name)) is not None:
        context = BuiltinContext(stdin, prepared.assigned, prepared.outputs, *readers, prepared.stdin is not None)
        shell.emit_output((yield from own(prepared.argv, context, shell)))
        if shell.frame.dialect.may_be_dash and name in dash_builtins.SPECIAL_BUILTINS:
            for variable, values in prepared.values.items():
                shell.assign(variable, join_alternatives((*values, *shell.get_values(variable))))
        return
    printed: list[Word] = []
    for cwd in shell.cwd:
        command = Command(
            prepared.argv,
            cwd,
            shell.make_scope(prepared.assigned, prepared.values),
            stdin,
            shell.frame.span or prepared.node.span,
            shell.frame.via,
            shell.frame.site,
            shell.number,
            shell.frame.sure,
            always=shell.always and prepared.sole and len(shell.cwd) == 1,
            depth=shell.depth,
            file=shell.frame.file,
            merges_errors=ERRORS_AS_OUTPUT in shell.options,
        )
        printed.append((yield command))
    if name == "echo" and shell.frame.dialect.may_differ_from_bash:
        outputs = [*printed, *dash_builtins.echo_with_options(prepared.argv)]
        printed = outputs + [spelled for word in outputs for spelled in dash_builtins.decode_echo_escapes(word)]
    shell.emit_output(*dict.fromkeys(printed))

"""Builtins that run text in the shell itself: eval and source."""

from collections.abc import Generator
from itertools import pairwise, product
from typing import Any

from toolgate.model.effect import Carrier, Interpret, Read
from toolgate.model.place import Place
from toolgate.model.word import EMPTY, Word, join_words, known_word, pipe_content, unread_parts
from toolgate.shell.domain.protocol import TICK, Body, CommandEvaluation, Evaluation, ReadContents, Request, ResolvePlace
from toolgate.shell.domain.state import Shell
from toolgate.shell.domain.values import ANY_ARGUMENTS, join_alternatives, join_argument_lists
from toolgate.shell.syntax.parser import parse

from .builtin_context import BuiltinContext
from .command_outcomes import FUNCTION_EXITS


def eval_(argv: tuple[Word, ...], context: BuiltinContext, shell: Shell) -> CommandEvaluation:
    words = argv[2:] if len(argv) > 1 and argv[1].text in ("--", "-") else argv[1:]
    yield from _run_with_assignments(context, shell, context.run_text(join_words(words), shell, Carrier("eval")))
    return EMPTY


def emulate(argv: tuple[Word, ...], context: BuiltinContext, shell: Shell) -> CommandEvaluation:
    """zsh's `emulate sh -c TEXT`: runs the text in this shell, parsed as the other one would."""
    for option, text in pairwise(argv):
        if option.starts_with("-") is True and option.tail.endswith("c"):
            yield from _run_with_assignments(context, shell, context.run_text(text, shell, Carrier("emulate")))
    yield TICK
    return EMPTY


def _run_with_assignments(context: BuiltinContext, shell: Shell, reading: Evaluation) -> Evaluation:
    """Runs with variables assigned before the command (`X=1 eval ...`). bash restores them afterwards, dash does not."""
    before, exported = {name: shell.get_values(name) for name in context.assigned}, set(shell.exported)
    for name, value in context.assigned.items():
        shell.assign(name, (value,))
        shell.exported[name] = True
    yield from reading
    for name, values in before.items():
        shell.variables[name] = join_alternatives((*values, *shell.get_values(name)))
    shell.exported.update(dict.fromkeys(before.keys() - exported, False))


def source_file(argv: tuple[Word, ...], context: BuiltinContext, shell: Shell) -> CommandEvaluation:
    operands = argv[2:] if len(argv) > 1 and argv[1].text == "--" else argv[1:]
    if operands:
        yield from _run_with_assignments(context, shell, _run_sourced_file(argv, operands, context, shell))
    return EMPTY


def _run_sourced_file(argv: tuple[Word, ...], operands: tuple[Word, ...], context: BuiltinContext, shell: Shell) -> Evaluation:
    """Runs a file's text here. It may be one of several files, or missing; `return` in it ends only the file."""
    file, arguments, outer = operands[0], shell.arguments, shell.left
    with shell.enter_context(
        ways_out=shell.ways_out | FUNCTION_EXITS, **shell.own_input(context.stdin if context.has_own_input else None)
    ):
        if len(operands) > 1:
            set_arguments(operands[1:], shell)
            own = arguments if argv[0].text == "." else ()  # dash keeps them
            shell.arguments = tuple(dict.fromkeys((*shell.arguments, *own)))
        began, paths = shell.arguments, list[Shell]()
        texts: list[Word | None] = []
        for cwd in shell.cwd:
            texts += (yield from _read_sourced_texts(file, cwd, context, shell)) or [None]
        texts = list(dict.fromkeys(texts))
        with shell.enter_context(left=[]):
            for text in texts:
                path = shell if len(texts) == 1 else shell.copy_as_possible()
                if text is not None:
                    with path.enter_context(sources=(file, *path.sources)):
                        yield from context.run_text(text, path, Carrier("source", file.display_text))
                paths.append(path)
            left = shell.left
        if len(paths) > 1:
            shell.replace_by_join(paths)
        for word, path in left:
            if word == "return":
                shell.join(path)
            else:
                outer.append((word, path))
    if len(operands) > 1:
        same = shell.arguments == began  # arguments set by `set -- x` in the file remain, but not in zsh
        shell.arguments = arguments if same else join_argument_lists(arguments + shell.arguments)


def set_arguments(words: tuple[Word, ...], shell: Shell) -> None:
    shell.arguments = tuple(dict.fromkeys((zero[0], *words) for zero in shell.arguments))


def _read_sourced_texts(file: Word, cwd: Word, context: BuiltinContext, shell: Shell) -> Generator[Request, Any, list[Word]]:
    """Returns the possible contents of a sourced file: a name without a slash is looked up in PATH and in the working
    directory."""
    if file.text == "/dev/stdin":
        return [context.stdin]
    if (printed := pipe_content(file)) is not None:
        return [printed if printed.text is None else known_word(strip_nuls(printed.text), printed.src)]
    texts = yield from _read_file_texts(file, cwd, shell)
    if file.text is not None and "/" not in file.text:
        for folder in _list_folders("PATH", shell):
            texts += yield from _read_file_texts(folder + known_word("/") + file, cwd, shell)
    return texts


def _read_file_texts(file: Word, cwd: Word, shell: Shell) -> Generator[Request, Any, list[Word]]:
    """Returns the possible contents of a file. A missing file is skipped, and so is one of unknown path unless this call wrote
    it."""
    place: Place = yield ResolvePlace(file, cwd, shell.frame.site)
    if "xtrace" in shell.options:
        yield Read(place, shell.current_origin())  # its assignments are shown as they run
    contents: tuple[Word | None, ...] = yield ReadContents(place, shell.number)
    if contents and place.path is not None:
        yield Interpret(
            "shell", contents[0] or EMPTY, shell.current_origin(), via=Carrier("source"), file=place.path, followed=True
        )
    return [
        content if content.text is None else known_word(strip_nuls(content.text), content.src)
        for content in contents
        if content is not None and (content.text is not None or content.src - {shell.number} or unread_parts(content))
    ]


def strip_nuls(text: str) -> str:
    """Returns the text of a file as a shell reads it: NUL bytes are dropped."""
    return text.replace("\0", "") if "\0" in text else text


def _list_folders(name: str, shell: Shell) -> list[Word]:
    """Returns the folders that a variable lists."""
    values = shell.get_values(name) if shell.is_set(name) else ()
    words = [word for value in values for word in (value if isinstance(value, tuple) else value.split_at(":"))]
    return [word for word in dict.fromkeys(words) if word.head]


def autoload(argv: tuple[Word, ...], context: BuiltinContext, shell: Shell) -> CommandEvaluation:
    """Loads zsh functions from files of their own in the folders of fpath: a call runs the file."""
    yield TICK
    folders = (*_list_folders("fpath", shell), *_list_folders("FPATH", shell))
    for name in argv[1:]:
        files = [name] if name.starts_with("/") is True else [folder + known_word("/") + name for folder in folders]
        for file, cwd in product(files, shell.cwd):
            for text in (yield from _read_file_texts(file, cwd, shell)):
                path = shell.copy_as_possible()
                path.arguments = (ANY_ARGUMENTS,)
                yield from context.run_text(text, path, Carrier("autoload", name.display_text))
        if name.text and name.text.isidentifier() and name.text not in shell.functions:  # fpath may change before the call
            shell.functions[name.text] = (Body(parse(f"autoload {name.text}").body, sure=False),)
    return EMPTY

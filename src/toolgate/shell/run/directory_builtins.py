"""cd, pushd, popd, pwd: the working directory."""

import re
from itertools import product

from toolgate.model.place import Place
from toolgate.model.word import EMPTY, NO_SOURCES, Hole, HoleKind, Maybe, Word, known_word, unknown_named, unknown_word
from toolgate.shell.domain.protocol import TICK, AskIsFolder, CommandEvaluation, ResolvePlace, Values
from toolgate.shell.domain.state import Shell
from toolgate.shell.domain.values import first_element, join_alternatives, join_folders

from .builtin_context import BuiltinContext


def cd(argv: tuple[Word, ...], context: BuiltinContext, shell: Shell) -> CommandEvaluation:
    """Changes the directory. If it may fail, both directories remain possible. A directory not given in full is printed."""
    options, operands = _split_options(argv)
    before, named = shell.cwd, shell.variables.get("PWD", ())
    may_fail = len(operands) > 1 or not _is_portable(argv[0], options)
    after: list[Word] = []
    printed: tuple[Word, ...] = (EMPTY,)
    if operands and operands[0].text == "-":
        after = [resolve_logical_path(old, base) for old in _previous_directories(context, shell) for base in before]
        for folder in after:
            may_fail = may_fail or (yield AskIsFolder((yield ResolvePlace(folder, before[0], shell.frame.site)))) is not True
        printed = (*(folder + known_word("\n") for folder in (*after, *_abbreviate_homes(after, shell))), EMPTY)
    elif argv[0].text != "pushd" and any(_is_invalid_option(word) for word in options):
        after, may_fail = [*before], True
    else:
        homes = [first_element(value) for value in _get_values("HOME", context, shell)]
        targets = [*operands[:1]] or homes
        if any(word.splits for word in operands):  # it may be empty, and then it is home
            targets = [*targets, *homes]
        if "cdable_vars" in shell.options:
            named_by = (value for target in targets for value in shell.variables.get(target.text or "", ()))
            targets = [*targets, *map(first_element, named_by)]
            printed = (unknown_word("a directory that a variable names"),)
        for target, base in product(targets, before):
            place: Place = yield ResolvePlace(target, base, shell.frame.site)
            destination: Maybe = _is_script_folder(target) or (yield AskIsFolder(place))
            may_fail = may_fail or destination is not True
            physical = place.path is not None and any(word.text == "-P" for word in options)
            after.append(known_word(place.path or "", target.src) if physical else resolve_logical_path(target, base))
            if "physical" in shell.options and place.path is not None:
                after.append(known_word(place.path, target.src))
            if (shell.is_set("CDPATH") or "CDPATH" in context.assigned) and target.starts_with("/") is not True:
                after += _search_cdpath(target, base, context, shell)
                printed = (unknown_word("a directory of $CDPATH", target.src),)
    if argv[0].text == "pushd":
        printed = (_STACK_LISTING,)
        if any(word.text == "-n" for word in options):
            shell.stack, after = (*shell.stack, join_folders(after)), [*before]
        else:
            _push_directory(operands, before, after, shell, may_fail=may_fail)
    shell.change_directory(join_folders(after))
    shell.failed = before if may_fail else ()
    if not may_fail:
        shell.variables.pop("PWD", None)
    shell.variables["OLDPWD"] = join_alternatives((*before, *named, *(shell.get_values("OLDPWD") if may_fail else ())))
    shell.emit_output(*printed)
    yield TICK
    return EMPTY


def _get_values(name: str, context: BuiltinContext, shell: Shell) -> Values:
    """Returns the values of a variable, which may be assigned before the command: `HOME=/ cd`."""
    return (context.assigned[name],) if name in context.assigned else shell.get_values(name)


_MATCH_OPTION = re.compile("-[a-zA-Z@-]+").fullmatch
_COMMON_OPTIONS = frozenset("PLe@")
_ZSH_OPTIONS = frozenset("qs")


def _split_options(argv: tuple[Word, ...]) -> tuple[tuple[Word, ...], tuple[Word, ...]]:
    """Splits the words into options and operands."""
    n = 1
    while n < len(argv) and _MATCH_OPTION(argv[n].text or "") and argv[n - 1].text != "--":
        n += 1
    return argv[1:n], argv[n:]


def _is_portable(name: Word, options: tuple[Word, ...]) -> bool:
    """Returns whether both bash and zsh accept it. bash has no `chdir`."""
    return name.text != "chdir" and all(option.text == "--" or _COMMON_OPTIONS.issuperset(option.head[1:]) for option in options)


def _is_invalid_option(option: Word) -> bool:
    """Returns whether no shell's `cd` accepts this option, so that the directory stays."""
    return option.text != "--" and not (_COMMON_OPTIONS | _ZSH_OPTIONS).issuperset(option.head[1:])


def _previous_directories(context: BuiltinContext, shell: Shell) -> list[Word]:
    """Returns the directories of `cd -`. Without a previous directory dash stays, and zsh uses the directory it started in."""
    olds = [first_element(value) for value in _get_values("OLDPWD", context, shell)]
    if "OLDPWD" not in shell.variables and "OLDPWD" not in context.assigned:
        return [*olds, *shell.cwd]
    return [folder for old in olds for folder in ((old,) if old.parts else shell.cwd)]


def _abbreviate_homes(places: list[Word], shell: Shell) -> list[Word]:
    """Returns the places with the home folder as `~`, as zsh prints them."""
    if not shell.frame.dialect.may_differ_from_bash:
        return []
    homes = [home for value in shell.get_values("HOME") if (home := first_element(value).text)]
    texts = [folder.text or "" for folder in places]
    return [known_word("~" + text[len(home) :]) for text in texts for home in homes if f"{text}/".startswith(f"{home}/")]


def _search_cdpath(target: Word, base: Word, context: BuiltinContext, shell: Shell) -> list[Word]:
    """Returns the folder below each folder in CDPATH."""
    found: list[Word] = []
    for value in _get_values("CDPATH", context, shell):
        rest, more = first_element(value), True
        while more and len(found) < _MAX_CDPATH:
            entry, more, rest = rest.partition(":")
            found.append(resolve_logical_path(entry + known_word("/") + target if entry.parts else target, base))
        if more:
            found.append(unknown_word("$CDPATH", target.src))
    return found


_MAX_CDPATH = 8  # folders
_STACK_LISTING = unknown_word("the stack of directories")


def _is_script_folder(word: Word) -> bool:
    """Returns whether this is the running script's folder, or a parent of it, which exists. Without a script, it is the
    working directory."""
    start = word.parts[0] if word.parts else ""
    above = all(isinstance(part, str) and not part.strip("./") for part in word.parts[1:])
    return isinstance(start, Hole) and start.kind is HoleKind.SCRIPT_FOLDER and above


def _push_directory(
    operands: tuple[Word, ...], before: tuple[Word, ...], after: list[Word], shell: Shell, *, may_fail: bool
) -> None:
    if not operands or operands[0].head[:1] in ("+", "-"):  # rotates the stack
        turned = [cwd for each in (shell.stack if operands else shell.stack[-1:]) for cwd in each]
        after[:] = turned or list(before)
        shell.stacked = False
    shell.stacked = shell.stacked and not may_fail
    shell.stack = (*shell.stack, before)


def resolve_logical_path(target: Word, base: Word) -> Word:
    """Returns the textual path after `cd`: a shell removes `a/..` from the path as typed. A parent of an unknown folder is
    unknown, too."""
    if target.text in (".", "./"):
        return base
    path = target if _is_any_path(target) or target.head.startswith("/") or not base.parts else base + known_word("/") + target
    if path.text is not None and path.head.startswith("/"):
        return known_word(_remove_parents(path.text), path.src)
    if _is_any_path(path):
        start, more, rest = path.as_single_word().partition("/")
    elif path.head.startswith("/"):
        start, more, rest = EMPTY, True, path.as_single_word()
    else:
        return path.as_single_word()
    names: list[Word] = []
    while more:
        name, more, rest = rest.partition("/")
        if name.text == "..":
            above = _parent_names(names, start)
            if above is None:
                return path.as_single_word()
            names = above
        elif name.text not in ("", "."):
            names.append(name)
    result = Word(start.parts, False, path.src)
    for name in names:
        result = result + known_word("/") + name
    return result if result.parts else known_word("/", path.src)


def _remove_parents(path: str) -> str:
    names: list[str] = []
    for name in path.split("/"):
        if name == "..":
            names = names[:-1]
        elif name not in ("", "."):
            names.append(name)
    return "/" + "/".join(names)


def _is_any_path(path: Word) -> bool:
    """Returns whether the path begins with a part that may be any path, or is an absolute one."""
    start = path.parts[0] if path.parts else ""
    return isinstance(start, Hole) and start.like.startswith(("**", "?**", "/"))


def _parent_names(names: list[Word], start: Word) -> list[Word] | None:
    """Returns the names without the last; None if that may be several names and the text determines which."""
    if not names:
        return [] if not start.parts or _is_lost_value(start) else None
    if _is_one_name(names[-1]):
        return names[:-1]
    below = Word(names[-1].parts[-1:])
    return [*names[:-2], (names[-2] if names[1:] else EMPTY) + below] if _is_lost_value(below) else None


def _is_lost_value(start: Word) -> bool:
    """Returns whether the directory is one that the evaluation lost, and not a name in the text that determines it."""
    return len(start.parts) == 1 and isinstance(hole := start.parts[0], Hole) and hole.kind not in _DETERMINED


_DETERMINED = (HoleKind.NAMED, HoleKind.SCRIPT, HoleKind.SCRIPT_FOLDER)


def _is_one_name(name: Word) -> bool:
    """Returns whether no part of it may contain a slash."""
    return not any(isinstance(part, Hole) and "**" in part.like for part in name.parts)


def popd(argv: tuple[Word, ...], _context: BuiltinContext, shell: Shell) -> CommandEvaluation:
    yield TICK
    before = shell.cwd
    if len(argv) > 1 or not shell.stacked:
        shell.change_directory(join_folders((*before, *(cwd for each in shell.stack for cwd in each))))
        shell.stacked = False
    elif shell.stack:
        shell.change_directory(shell.stack[-1])
    shell.stack = shell.stack[:-1] if shell.stacked else shell.stack
    shell.variables["OLDPWD"] = join_alternatives((*before, *shell.get_values("OLDPWD")))
    return _STACK_LISTING


def dirs(argv: tuple[Word, ...], _context: BuiltinContext, shell: Shell) -> CommandEvaluation:
    """Prints the stack of directories; `dirs -c` clears it, and zsh's `dirs FOLDER` replaces it."""
    yield TICK
    operands = tuple(word for word in argv[1:] if word.head[:1] not in ("-", "+"))
    if operands or any(word.text == "-c" for word in argv[1:]):
        shell.stack, shell.stacked = (*shell.stack, operands), False
    return _STACK_LISTING


def pwd(_argv: tuple[Word, ...], _context: BuiltinContext, shell: Shell) -> CommandEvaluation:
    yield TICK
    if len(shell.cwd) == 1:
        return shell.cwd[0] + known_word("\n")
    return unknown_named("$(pwd)", NO_SOURCES.union(*(word.src for word in shell.cwd)))

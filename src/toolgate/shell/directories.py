"""cd, pushd, popd, pwd: the working directory."""

import re
from itertools import product

from toolgate.model.place import Place
from toolgate.model.word import EMPTY, NOTHING, Hole, HoleKind, Maybe, Word, known, unknown, unknown_named

from .moment import Moment
from .protocol import TICK, IsFolder, Reading, Values, Where
from .state import Shell
from .values import alternatives, first, folders


def cd(argv: tuple[Word, ...], moment: Moment, shell: Shell) -> Reading:
    """Changes the directory. If it may fail, both directories remain possible. A directory not given in full is printed."""
    options, operands = _read(argv)
    before, named = shell.cwd, shell.variables.get("PWD", ())
    may_fail = len(operands) > 1 or not _is_common(argv[0], options)
    after: list[Word] = []
    printed: tuple[Word, ...] = (EMPTY,)
    if operands and operands[0].text == "-":
        after, may_fail = _back(moment, shell), True
        printed = (*(folder + known("\n") for folder in (*after, *_below_home(after, shell))), EMPTY)
    elif argv[0].text != "pushd" and any(_is_refused(word) for word in options):
        after, may_fail = [*before], True
    else:
        homes = [first(value) for value in _given("HOME", moment, shell)]
        targets = [*operands[:1]] or homes
        if any(word.splits for word in operands):  # it may be empty, and then it is home
            targets = [*targets, *homes]
        for target, base in product(targets, before):
            place: Place = yield Where(target, base, shell.frame.site)
            there: Maybe = _holds_a_script(target) or (yield IsFolder(place))
            may_fail = may_fail or there is not True
            physical = place.path is not None and any(word.text == "-P" for word in options)
            after.append(known(place.path or "", target.src) if physical else logical(target, base))
            if (shell.is_set("CDPATH") or "CDPATH" in moment.assigned) and target.starts("/") is not True:
                after += _through_cdpath(target, base, moment, shell)
                printed = (unknown("a directory of $CDPATH", target.src),)
    if argv[0].text == "pushd":
        printed = (_THE_STACK,)
        if any(word.text == "-n" for word in options):
            shell.stack, after = (*shell.stack, folders(after)), [*before]
        else:
            _push(operands, before, after, shell, may_fail=may_fail)
    shell.go(folders(after))
    shell.failed = before if may_fail else ()
    if not may_fail:
        shell.variables.pop("PWD", None)
    shell.variables["OLDPWD"] = alternatives((*before, *named, *(shell.values("OLDPWD") if may_fail else ())))
    shell.say(*printed)
    yield TICK
    return EMPTY


def _given(name: str, moment: Moment, shell: Shell) -> Values:
    """Returns the values of a variable, which may be assigned before the command: `HOME=/ cd`."""
    return (moment.assigned[name],) if name in moment.assigned else shell.values(name)


_IS_OPTION = re.compile("-[a-zA-Z@-]+").fullmatch
_OF_ALL = frozenset("PLe@")
_OF_ZSH = frozenset("qs")


def _read(argv: tuple[Word, ...]) -> tuple[tuple[Word, ...], tuple[Word, ...]]:
    """Splits the words into options and operands."""
    n = 1
    while n < len(argv) and _IS_OPTION(argv[n].text or "") and argv[n - 1].text != "--":
        n += 1
    return argv[1:n], argv[n:]


def _is_common(name: Word, options: tuple[Word, ...]) -> bool:
    """Returns whether both bash and zsh accept it. bash has no `chdir`."""
    return name.text != "chdir" and all(option.text == "--" or _OF_ALL.issuperset(option.head[1:]) for option in options)


def _is_refused(option: Word) -> bool:
    """Returns whether no shell's `cd` accepts this option, so that the directory stays."""
    return option.text != "--" and not (_OF_ALL | _OF_ZSH).issuperset(option.head[1:])


def _back(moment: Moment, shell: Shell) -> list[Word]:
    """Returns the directories of `cd -`. Without a previous directory dash stays, and zsh uses the directory it started in."""
    olds = [first(value) for value in _given("OLDPWD", moment, shell)]
    if "OLDPWD" not in shell.variables and "OLDPWD" not in moment.assigned:
        return [*olds, *shell.cwd]
    return [folder for old in olds for folder in ((old,) if old.parts else shell.cwd)]


def _below_home(places: list[Word], shell: Shell) -> list[Word]:
    """Returns the places with the home folder as `~`, as zsh prints them."""
    if shell.frame.dialect == "bash" and not shell.frame.zsh:
        return []
    homes = [home for value in shell.values("HOME") if (home := first(value).text)]
    texts = [folder.text or "" for folder in places]
    return [known("~" + text[len(home) :]) for text in texts for home in homes if f"{text}/".startswith(f"{home}/")]


def _through_cdpath(target: Word, base: Word, moment: Moment, shell: Shell) -> list[Word]:
    """Returns the folder below each folder in CDPATH."""
    found: list[Word] = []
    for value in _given("CDPATH", moment, shell):
        rest, more = first(value), True
        while more and len(found) < _CDPATH:
            entry, more, rest = rest.partition(":")
            found.append(logical(entry + known("/") + target if entry.parts else target, base))
        if more:
            found.append(unknown("$CDPATH", target.src))
    return found


_CDPATH = 8  # folders
_THE_STACK = unknown("the stack of directories")


def _holds_a_script(word: Word) -> bool:
    """Returns whether this is the running script's folder, or a parent of it, which exists. Without a script, it is the
    working directory."""
    start = word.parts[0] if word.parts else ""
    above = all(isinstance(part, str) and not part.strip("./") for part in word.parts[1:])
    return isinstance(start, Hole) and start.kind is HoleKind.SCRIPT_FOLDER and above


def _push(operands: tuple[Word, ...], before: tuple[Word, ...], after: list[Word], shell: Shell, *, may_fail: bool) -> None:
    if not operands or operands[0].head[:1] in ("+", "-"):  # rotates the stack
        turned = [cwd for each in (shell.stack if operands else shell.stack[-1:]) for cwd in each]
        after[:] = turned or list(before)
        shell.stacked = False
    shell.stacked = shell.stacked and not may_fail
    shell.stack = (*shell.stack, before)


def logical(target: Word, base: Word) -> Word:
    """Returns the textual path after `cd`: a shell removes `a/..` from the path as typed. A parent of an unknown folder is
    unknown, too."""
    if target.text in (".", "./"):
        return base
    path = target if _is_anywhere(target) or target.head.startswith("/") or not base.parts else base + known("/") + target
    if _is_anywhere(path):
        start, more, rest = path.whole().partition("/")
    elif path.head.startswith("/"):
        start, more, rest = EMPTY, True, path.whole()
    else:
        return path.whole()
    names: list[Word] = []
    while more:
        name, more, rest = rest.partition("/")
        if name.text == "..":
            above = _above(names, start)
            if above is None:
                return path.whole()
            names = above
        elif name.text not in ("", "."):
            names.append(name)
    result = Word(start.parts, False, path.src)
    for name in names:
        result = result + known("/") + name
    return result if result.parts else known("/", path.src)


def _is_anywhere(path: Word) -> bool:
    """Returns whether the path begins with a part that may be any path."""
    start = path.parts[0] if path.parts else ""
    return isinstance(start, Hole) and start.like.startswith(("**", "?**"))


def _above(names: list[Word], start: Word) -> list[Word] | None:
    """Returns the names without the last; None if that may be several names and the text determines which."""
    if not names:
        return [] if not start.parts or _leads_anywhere(start) else None
    if _is_one_name(names[-1]):
        return names[:-1]
    below = Word(names[-1].parts[-1:])
    return [*names[:-2], (names[-2] if names[1:] else EMPTY) + below] if _leads_anywhere(below) else None


_LOST = (HoleKind.UNKNOWN, HoleKind.GLOB, HoleKind.SEARCH_RESULT)


def _leads_anywhere(start: Word) -> bool:
    """Returns whether the directory is one that the evaluation lost, and not a name in the text that determines it."""
    return len(start.parts) == 1 and isinstance(hole := start.parts[0], Hole) and hole.kind in _LOST


def _is_one_name(name: Word) -> bool:
    """Returns whether no part of it may contain a slash."""
    return not any(isinstance(part, Hole) and "**" in part.like for part in name.parts)


def popd(argv: tuple[Word, ...], _moment: Moment, shell: Shell) -> Reading:
    yield TICK
    before = shell.cwd
    if len(argv) > 1 or not shell.stacked:
        shell.go(folders((*before, *(cwd for each in shell.stack for cwd in each))))
        shell.stacked = False
    elif shell.stack:
        shell.go(shell.stack[-1])
    shell.stack = shell.stack[:-1] if shell.stacked else shell.stack
    shell.variables["OLDPWD"] = alternatives((*before, *shell.values("OLDPWD")))
    return _THE_STACK


def pwd(_argv: tuple[Word, ...], _moment: Moment, shell: Shell) -> Reading:
    yield TICK
    if len(shell.cwd) == 1:
        return shell.cwd[0] + known("\n")
    return unknown_named("$(pwd)", NOTHING.union(*(word.src for word in shell.cwd)))

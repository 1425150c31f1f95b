"""cd, pushd, popd, pwd: where the shell is."""

import re
from itertools import product

from toolgate.model.place import Place
from toolgate.model.word import EMPTY, NOTHING, Hole, Maybe, Word, known, unknown

from .moment import Moment
from .protocol import TICK, IsFolder, Reading, Values, Where
from .state import CHANGING, Shell
from .values import alternatives, first, folders, unset


def cd(argv: tuple[Word, ...], moment: Moment, shell: Shell) -> Reading:
    """Where it may fail, both directories stay possible. What was not named in full is printed."""
    options = [word for word in argv[1:] if word.text in ("-P", "-L", "-e", "-@", "-n", "--")]
    operands = [word for word in argv[1:] if word not in options]
    before, may_fail = shell.cwd, len(operands) > 1 or argv[0].text == "chdir"  # which bash does not have
    after: list[Word] = []
    printed: tuple[Word, ...] = (EMPTY,)
    if operands and operands[0].text == "-":
        olds = [first(value) for value in _given("OLDPWD", moment, shell)]
        after, may_fail = [folder for old in olds for folder in ((old,) if old.parts else before)], True
        printed = (*(folder + known("\n") for folder in after), EMPTY)
    else:
        homes = [first(value) for value in _given("HOME", moment, shell)]
        targets = operands[:1] or homes
        if any(word.splits for word in operands):  # it may be nothing, and then it is home
            targets = [*targets, *homes]
        for target, base in product(targets, before):
            place: Place = yield Where(target, base, shell.frame.site)
            there: Maybe = _holds_a_script(target) or (yield IsFolder(place))
            may_fail = may_fail or there is not True
            physical = place.path is not None and any(word.text == "-P" for word in options)
            after.append(known(place.path or "", target.src) if physical else logical(target, base))
            if (shell.is_set("CDPATH") or "CDPATH" in moment.assigned) and target.starts("/") is not True:
                after.append(unknown("$CDPATH", target.src))
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
    shell.variables["OLDPWD"] = alternatives((*before, *shell.values("OLDPWD"))) if may_fail else before
    shell.say(*printed)
    yield TICK
    return EMPTY


def _given(name: str, moment: Moment, shell: Shell) -> Values:
    """`HOME=/ cd`"""
    return (moment.assigned[name],) if name in moment.assigned else shell.values(name)


_THE_STACK = unknown("the stack of directories")
_OF_A_SCRIPT = re.compile(r"\$\(dirname (?:\$0|\$BASH_SOURCE|\$\((?:readlink|realpath) \$(?:0|BASH_SOURCE)\))\)").fullmatch


def _holds_a_script(word: Word) -> bool:
    """The folder of the script that runs, or one above it: it is there. Where there is no script, it is the one we are in."""
    start = word.parts[0] if word.parts else ""
    above = all(isinstance(part, str) and not part.strip("./") for part in word.parts[1:])
    return isinstance(start, Hole) and _OF_A_SCRIPT(start.why) is not None and above


def _push(operands: list[Word], before: tuple[Word, ...], after: list[Word], shell: Shell, *, may_fail: bool) -> None:
    if not operands or operands[0].head[:1] in ("+", "-"):  # the stack turns
        turned = [cwd for each in (shell.stack if operands else shell.stack[-1:]) for cwd in each]
        after[:] = turned or list(before)
        shell.stacked = False
    shell.stacked = shell.stacked and not may_fail
    shell.stack = (*shell.stack, before)


_ANYWHERE = (CHANGING, unset("OLDPWD"))


def logical(target: Word, base: Word) -> Word:
    """`cd a/..` is textual: a shell keeps the path as it was typed."""
    if target.text in (".", "./") or (base in _ANYWHERE and target.text in ("..", "../")):
        return base
    start = target.parts[0] if target.parts else ""
    anywhere = start.like.startswith(("**", "?**")) if isinstance(start, Hole) else start.startswith("/")
    path = target if anywhere or not base.parts else base + known("/") + target
    if not path.head.startswith("/"):
        return path.whole()
    names: list[Word] = []
    rest, more = path.whole(), True
    while more:
        name, more, rest = rest.partition("/")
        if name.text == "..":
            if names and not _is_one_name(names[-1]):
                return path.whole()
            names = names[:-1]
        elif name.text not in ("", "."):
            names.append(name)
    result = known("", path.src)
    for name in names:
        result = result + known("/") + name
    return result if result.parts else known("/", path.src)


def _is_one_name(name: Word) -> bool:
    """Nothing in it may be a slash."""
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
    return unknown("$(pwd)", NOTHING.union(*(word.src for word in shell.cwd)))

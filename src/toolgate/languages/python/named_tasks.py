"""Functions that a task runner runs if its arguments name them: tasks of Invoke and Fabric, sessions of nox."""

from __future__ import annotations

import itertools
import re
from collections.abc import Mapping, Sequence

from toolgate.languages.evaluation.library_table import SpecialCall
from toolgate.languages.evaluation.shared_state import Arguments, Evaluation
from toolgate.languages.evaluation.values import NULL, Function, Instance, ListValue, Reference, Unknown, Value, text_of
from toolgate.model.word import Word, known_word

from .command_arguments import find_argv

_SHOWING = frozenset(("--list", "-l", "--help", "-h", "--version"))
_SHOWING_OF_INVOKE = _SHOWING | {"--dry", "-R", "-V"}
"""Options with which no task runs, before the first task. Behind one they may be its own."""
_SHOWING_SESSIONS = _SHOWING | {"--list-sessions"}
_SESSION_OPTION = re.compile(r"-s|--sessions?|-e")
_ATTACHED_SESSION = re.compile(r"(?:-[se][^-]|--sessions?=)")
_UNTOLD_OPTION = re.compile(r"(?:-k|--keywords|-t|--tags)(?:=.*)?", re.DOTALL)


_DECLARED = "a declaration of the task"


def _declare_task(kind: str) -> SpecialCall:
    """`@task`, `@nox.session(python=["3.12"])`."""

    def declare(evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
        given = arguments.positional[0] if arguments.positional else NULL
        if not isinstance(given, Function) or evaluation.called.get(f"{_DECLARED} {given.name}"):  # `@task(build)`
            needed = tuple(each for each in arguments.all_values() if isinstance(each, Function | ListValue))
            evaluation.call_unknown("a task before another one", Arguments(needed))
            return Reference(f"{kind}.{'session' if kind == 'nox' else 'task'}", None, (), tuple(arguments.named.items()))
        aliases = arguments.named.get("aliases", NULL)
        names = [arguments.named.get("name", known_word(given.name)), *(aliases.items if isinstance(aliases, ListValue) else ())]
        if "default" in arguments.named:
            names.append(Unknown("the task that runs without a name"))
        evaluation.called[f"{_DECLARED} {given.name}"] = 1
        _run_if_named(evaluation, given, names, kind)
        return given

    return declare


def _run_if_named(evaluation: Evaluation, task: Value, names: Sequence[Value], kind: str) -> None:
    """Calls a task if the arguments may name it."""
    words = find_argv(evaluation, NULL)
    texts = [text_of(each) for each in names]
    if words is None or any(text is None or _is_named(text.replace("_", "-"), words, kind) for text in texts):
        evaluation.call_unknown("a task", Arguments((task,)))


def _is_named(name: str, words: Sequence[Word], kind: str) -> bool:
    """Returns whether the arguments name a task, or may."""
    texts = [word.text for word in words]
    follows = [(text, before) for text, before in zip(texts, [None, *texts], strict=False)]
    texts = [text for text, before in follows if text is not None or not (before or "").startswith("--")]
    if None in texts:
        return True
    known = [text.replace("_", "-") for text in texts if text is not None]
    known = known[: known.index("--")] if "--" in known else known
    return _is_named_session(name, known) if kind == "nox" else _is_named_task(name, known)


def _is_named_task(name: str, known: Sequence[str]) -> bool:
    first = next((n for n, text in enumerate(known) if not text.startswith("-")), len(known))
    return _SHOWING_OF_INVOKE.isdisjoint(known[:first]) and any(text.rpartition(".")[2] == name for text in known)


def _is_named_session(name: str, known: Sequence[str]) -> bool:
    if not _SHOWING_SESSIONS.isdisjoint(known):
        return False
    starts = [n for n, text in enumerate(known) if _SESSION_OPTION.fullmatch(text)]
    if not starts or any(_UNTOLD_OPTION.fullmatch(text) or _ATTACHED_SESSION.match(text) for text in known):
        return True
    chosen = (text for start in starts for text in itertools.takewhile(_is_plain, known[start + 1 :]))
    return any(text == name or text.startswith((f"{name}-", f"{name}(")) for text in chosen)


def _is_plain(text: str) -> bool:
    return not text.startswith("-")


def _call_by_name(evaluation: Evaluation, _receiver: Value | None, _arguments: Arguments) -> Value | None:
    """`session.notify("publish")`: any session may run."""
    evaluation.outside_calls.by_name = True
    return None


def _collect(evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
    """`Collection(lint, release=ship)`: tasks by their own names or by new ones; the arguments choose among them."""
    for name, task in arguments.named.items():
        _run_if_named(evaluation, task, [known_word(name)], "invoke")
    return Instance(_COLLECTION)


def _add_to_collection(evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
    """`ns.add_task(ship, "release")`."""
    task, *names = arguments.positional or (NULL,)
    names += [value for name, value in arguments.named.items() if name in ("name", "aliases", "default")]
    if names:
        _run_if_named(evaluation, task, names, "invoke")
    return NULL


_COLLECTION = "invoke.Collection"
NAMED_TASK_CALLS: Mapping[str, SpecialCall] = {
    **dict.fromkeys(("invoke.task", "fabric.task", "fabric.decorators.task"), _declare_task("invoke")),
    **dict.fromkeys(("nox.session", "nox.task"), _declare_task("nox")),
    "?.notify": _call_by_name,
    **dict.fromkeys((_COLLECTION, f"{_COLLECTION}.from_module"), _collect),
    **dict.fromkeys((f"{_COLLECTION}.add_task", f"{_COLLECTION}.add_collection"), _add_to_collection),
}

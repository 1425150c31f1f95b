"""Parts of libraries that a test replaces: `patch("app.cleanup.shutil.rmtree")`, `mocker.patch.object(shutil, "rmtree")`."""

from __future__ import annotations

from collections.abc import Mapping

from toolgate.languages.evaluation.library_table import SpecialCall
from toolgate.languages.evaluation.shared_state import Arguments, Evaluation
from toolgate.languages.evaluation.values import Function, Reference, Unknown, Value, text_of
from toolgate.model.word import known_word

_PATCH = "a patch"


def _patch(evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
    return _replace(evaluation, text_of(arguments.positional[0]) if arguments.positional else None, arguments, 1)


def _patch_object(evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
    owner, name = (*arguments.positional[:2], None, None)[:2]
    text = text_of(name) if name is not None else None
    return _replace(evaluation, f"{owner.name}.{text}" if isinstance(owner, Reference) and text else None, arguments, 2)


def _replace(evaluation: Evaluation, target: str | None, arguments: Arguments, position: int) -> Value | None:
    """Replaces a call of a library, named by a path that ends with it."""
    steps = (target or "").split(".")
    names = [".".join(steps[at:]) for at in range(len(steps) - 1)]
    name = next((each for each in names if evaluation.library.has_call(each)), None)
    if name is None:
        return None
    given = arguments.positional[position] if len(arguments.positional) > position else arguments.named.get("new")
    _set_replacement(evaluation, name, Unknown("a mock") if given is None else given)
    return Reference(_PATCH, None, (known_word(name),))


def _set_replacement(evaluation: Evaluation, name: str, value: Value) -> None:
    evaluation.journal.set_cell(evaluation.patched, evaluation.library.canonicalize_name(name), value)


def _call_patched(evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
    """Calls a function that a patch decorates. The patch ends with it."""
    name, *functions = arguments.positional
    evaluation.call_unknown(_PATCH, Arguments(tuple(functions)))
    text = text_of(name) or ""
    _set_replacement(evaluation, text, Reference(evaluation.library.canonicalize_name(text)))
    return next((each for each in functions if isinstance(each, Function)), Unknown(_PATCH))


MOCK_CALLS: Mapping[str, SpecialCall] = {
    **dict.fromkeys(("unittest.mock.patch", "mock.patch", "mocker.patch", "?.patch"), _patch),
    **dict.fromkeys(("unittest.mock.patch.object", "mock.patch.object", "?.patch.object"), _patch_object),
    _PATCH: _call_patched,
}

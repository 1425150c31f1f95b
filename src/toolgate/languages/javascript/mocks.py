"""Functions that a test replaces: `vi.spyOn(fs, "rmSync").mockImplementation(() => {})`."""

from __future__ import annotations

from collections.abc import Mapping

from toolgate.languages.evaluation.library_table import SpecialCall
from toolgate.languages.evaluation.shared_state import Arguments, Evaluation
from toolgate.languages.evaluation.values import NULL, Instance, Reference, Unknown, Value, text_of

_SPY = "spy"
_REPLACEMENTS = ("mockImplementation", "mockReturnValue", "mockResolvedValue", "mockRejectedValue")


def _spy_on(_evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
    owner, name = (*arguments.positional[:2], None, None)[:2]
    text = text_of(name) if name is not None else None
    return Instance(_SPY, {"target": Reference(f"{owner.name}.{text}")}) if isinstance(owner, Reference) and text else None


def _replace_function(evaluation: Evaluation, receiver: Value | None, arguments: Arguments) -> Value | None:
    target = receiver.fields.get("target") if isinstance(receiver, Instance) else None
    if not isinstance(target, Reference):
        return None
    name = evaluation.library.canonicalize_name(target.name)
    given = arguments.positional[0] if arguments.positional else NULL
    evaluation.journal.set_cell(evaluation.patched, name, Unknown("a mock") if given is NULL else given)
    return receiver


MOCK_CALLS: Mapping[str, SpecialCall] = {
    **dict.fromkeys(("vitest.vi.spyOn", "@jest/globals.jest.spyOn", "?.spyOn"), _spy_on),
    **{f"{_SPY}.{name}": _replace_function for name in _REPLACEMENTS},
}

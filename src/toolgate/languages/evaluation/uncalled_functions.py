"""Functions of a text that the text itself does not call: which of them something else may call.

In a program that is started by itself, a function runs only if the program calls it, or gives it to something that may. What
a framework, a build or a test loads may be called by its name, whatever the text does with it.
"""

from __future__ import annotations

from toolgate.model.effect import NOTEBOOK_CELL, Interpret

from .values import Function, Reference, Value, iter_callables


def is_whole_program(code: Interpret) -> bool:
    """Returns whether nothing that is read on its own, such as another cell of a notebook, may call the code's functions."""
    return code.is_program and (code.via is None or code.via.program != NOTEBOOK_CELL)


class OutsideCalls:
    """What other code may call. `is_whole`: whether only what gets a function, or knows its name, may call it."""

    def __init__(self, *, is_whole: bool) -> None:
        self._is_whole = is_whole
        self._known: set[int] = set()
        self.by_name = False
        """Whether the text calls functions by names that are not known."""

    def hand_out(self, value: Value) -> None:
        """Records that code that is not read gets a value: it may call what is in it."""
        for each in iter_callables(value):
            if isinstance(each, Function):
                self._known.add(id(each.body))
            elif isinstance(each, Reference):  # `functools.partial(purge, 1)`
                for bound in (each.receiver, *each.positional, *(given for _, given in each.named)):
                    if isinstance(bound, Function | Reference):
                        self.hand_out(bound)

    def add_methods(self, functions: set[int]) -> None:
        """Records the functions of a class, by the identity of their bodies. Whoever gets an object can call all of them."""
        self._known |= functions

    def reach(self, key: int) -> bool:
        """Returns whether other code may call a function, by the identity of its body."""
        return not self._is_whole or self.by_name or key in self._known

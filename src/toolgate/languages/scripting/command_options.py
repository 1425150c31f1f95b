"""Options of a script's command line, as Ruby's OptionParser and Perl's Getopt::Long give them."""

from __future__ import annotations

import re
from typing import NamedTuple

from toolgate.languages.evaluation.shared_state import Evaluation
from toolgate.languages.evaluation.values import FALSE, TRUE, ListValue, Unknown, Value, text_of
from toolgate.model.word import known_word

_OPTION = re.compile(r"(?P<dashes>--?)(?P<no>no-?)?(?P<name>[A-Za-z][\w-]*)(?:=(?P<value>.*))?", re.DOTALL)


class Option(NamedTuple):
    """An option that a script defines: its names without hyphens, and whether a value follows it. `repeats`: it may be given
    several times."""

    names: tuple[str, ...]
    takes_value: bool
    repeats: bool = False


class GivenOptions(NamedTuple):
    """`values`: what the command line gives each option; `others`: the arguments that are no options; `is_known`: whether every
    argument is known."""

    values: dict[Option, Value]
    others: list[Value]
    is_known: bool

    def find(self, option: Option) -> Value | None:
        """Returns what an option was given; None if it was not, an unknown value if it may have been."""
        found = self.values.get(option)
        return Unknown("an option of the command line") if found is None and not self.is_known else found


def read_options(evaluation: Evaluation, options: list[Option]) -> GivenOptions:
    """Returns the options that a script's own arguments give."""
    argv = evaluation.report.script_arguments()
    is_known = isinstance(argv, ListValue) and argv.rest is None
    waiting = list(argv.items[1:]) if isinstance(argv, ListValue) else []
    values: dict[Option, Value] = {}
    others: list[Value] = []
    while waiting:
        item = waiting.pop(0)
        text = text_of(item)
        is_known &= text is not None
        if text == "--":
            others += waiting
            break
        found = _OPTION.fullmatch(text or "")
        option = _find_option(found, options)
        if found is None or option is None:
            others.append(item)
        elif found["value"] is not None:
            _put(values, option, known_word(found["value"]))
        elif option.takes_value:
            _put(values, option, waiting.pop(0) if waiting else Unknown("a missing value"))
        else:
            is_negated = found["no"] is not None and found["name"] in option.names
            values[option] = FALSE if is_negated else TRUE
    return GivenOptions(values, others, is_known)


def _put(values: dict[Option, Value], option: Option, value: Value) -> None:
    before = values.get(option)
    items = before.items if isinstance(before, ListValue) else ()
    values[option] = ListValue("array", (*items, value)) if option.repeats else value


def _find_option(found: re.Match[str] | None, options: list[Option]) -> Option | None:
    """Returns the option that an argument names: by its whole name, negated, or by the start of only one name."""
    if found is None:
        return None
    whole = f"{found['no'] or ''}{found['name']}"
    for name in (whole, found["name"]):
        exact = next((each for each in options if name in each.names), None)
        if exact is not None:
            return exact
    starting = [each for each in options if any(name.startswith(whole) for name in each.names)]
    return starting[0] if len(starting) == 1 and found["dashes"] == "--" else None

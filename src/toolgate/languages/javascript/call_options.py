"""Arguments of calls: options, lists of paths, callbacks."""

from __future__ import annotations

from toolgate.languages import glob_words
from toolgate.languages.evaluation.library_table import field_of
from toolgate.languages.evaluation.path_words import ANY_NAME, join_paths
from toolgate.languages.evaluation.shared_state import Arguments, Evaluation
from toolgate.languages.evaluation.values import (
    NULL,
    ClassValue,
    Constant,
    Function,
    ListValue,
    MapValue,
    Reference,
    Unknown,
    Value,
    join_all,
    list_alternatives,
    text_of,
    words_of,
)
from toolgate.model.word import Word


def read_option(_evaluation: Evaluation, options: Value | None, *names: Value | None) -> Value:
    """Returns the option under the first of these names that is set; unknown if the options are."""
    found: list[Value] = []
    for each in list_alternatives(options) if options is not None else ():
        if isinstance(each, MapValue):
            values = (field_of(each, text_of(name) or "") for name in names)
            found.append(next((value for value in values if value is not None and value is not NULL), NULL))
        elif not isinstance(each, Constant | Function | Word | ListValue | ClassValue):
            found.append(Unknown("an option"))
        else:
            found.append(NULL)
    return join_all(found) or NULL


def flatten_value(evaluation: Evaluation, value: Value | None) -> Value:
    """Returns a value, or one of the items of a list."""
    found: list[Value | None] = []
    for each in list_alternatives(value) if value is not None else ():
        if isinstance(each, ListValue):
            found += [*each.items, each.rest]
        else:
            found.append(each)
    return join_all(found) or NULL


def find_files(evaluation: Evaluation, pattern: Value | None, folder: Value | None = None) -> Value:
    """Returns the files that patterns find; exclusion patterns are ignored."""
    words = [word for word in words_of(flatten_value(evaluation, pattern)) if word.starts_with("!") is not True]
    found = evaluation.join_values(*(found for each in words for found in glob_words(each))) if words else ANY_NAME
    return found if folder is None or folder is NULL else join_paths(evaluation, folder, found)


def call_callback(evaluation: Evaluation, result: Value | None, *argument: Value | None) -> Value:
    """Calls the callback among the arguments with no error, and the result."""
    for each in argument:
        for one in list_alternatives(each) if each is not None else ():
            if isinstance(one, Function | Reference):
                callback_values = (NULL,) if result is None else (NULL, result, result)
                evaluation.run_possibly(lambda: evaluation.call(one, Arguments(callback_values)))  # noqa: B023
    return NULL


def invoke_all(evaluation: Evaluation, argument: Value | None = None) -> Value:
    """Calls callbacks among further arguments."""
    return call_callback(evaluation, None, flatten_value(evaluation, argument))

"""Mail boxes that code empties on their server."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from toolgate.model.word import known_word

from .leaf_texts import leaf_words
from .shared_results import database_call
from .shared_state import Evaluation
from .values import ListValue, Value, text_of, unknown_from, word_of

_ALL_FOUND, _ALL_MARKED = "all messages found", "all messages marked"
"""Counters of what the code has done to every message."""


_OF_MANY = frozenset("ALL BEFORE SENTBEFORE SINCE SENTSINCE OLDER SEEN UNSEEN UNFLAGGED NOT LARGER SMALLER OLD RECENT".split())
"""First words of what a search asks for that many messages meet, whoever sent them and whatever they are about."""


def find_messages(evaluation: Evaluation, criteria: Value | None = None) -> Value:
    """`box.search(None, "ALL")`."""
    texts = [word.text or "" for word in leaf_words(criteria)] if criteria is not None else []
    first = next((word.strip("(").upper() for text in texts for word in text.split()), "")
    evaluation.called[_ALL_FOUND] = int(first in _OF_MANY)
    return unknown_from("messages", criteria)


def mark_messages(evaluation: Evaluation, messages: Value | None, flags: Value | None = None) -> Value:
    """`box.store(number, "+FLAGS", "\\\\Deleted")`."""
    is_deletion = any("deleted" in word.outline.lower() for word in leaf_words(flags)) if flags is not None else False
    if is_deletion and messages is not None and _are_all(evaluation, messages):
        evaluation.called[_ALL_MARKED] = 1
    return unknown_from("the answer of a server", messages)


def command_box(evaluation: Evaluation, command: Value | None, arguments: Value | None = None) -> Value:
    """`box.uid("STORE", numbers, "+FLAGS", "\\\\Deleted")`."""
    name, given = (text_of(command) or "").upper(), arguments.items if isinstance(arguments, ListValue) else ()
    if name == "SEARCH":
        return find_messages(evaluation, ListValue("list", [each for each in given if text_of(each) is not None]))
    if name == "STORE" and given:
        return mark_messages(evaluation, given[0], given[-1])
    return expunge_box(evaluation) if name == "EXPUNGE" else unknown_from("the answer of a server", arguments)


def expunge_box(evaluation: Evaluation) -> Value:
    """Removes the messages that are marked as deleted."""
    return _report(evaluation) if evaluation.called.get(_ALL_MARKED) else unknown_from("the answer of a server")


def delete_messages(evaluation: Evaluation, messages: Value | None = None) -> Value:
    """`box.delete(box.uids())`, `client.messageDelete("1:*")`: every message that no text names one by one."""
    is_all = messages is not None and (text_of(messages) is None or _are_all(evaluation, messages))
    return _report(evaluation) if is_all else unknown_from("the answer of a server")


def _are_all(evaluation: Evaluation, messages: Value) -> bool:
    text = word_of(messages).text
    return text.endswith(":*") if text is not None else evaluation.called.get(_ALL_FOUND, 0) > 0


def _report(evaluation: Evaluation) -> Value:
    return database_call(evaluation, known_word("database.delete"), known_word("messages of a mail box"))


MAIL_BOX_ACTIONS: Mapping[str, Any] = {
    "find_messages": find_messages,
    "mark_messages": mark_messages,
    "command_box": command_box,
    "expunge_box": expunge_box,
    "delete_messages": delete_messages,
}

"""Ruby's OptionParser: `opts.on("--host NAME") { |value| .. }` calls the block where the command line gives the option."""

from __future__ import annotations

import re
from collections.abc import Mapping

from toolgate.languages.evaluation.library_table import SpecialCall
from toolgate.languages.evaluation.shared_state import Arguments, Evaluation
from toolgate.languages.evaluation.values import Instance, ListValue, MapValue, Unknown, Value, text_of
from toolgate.languages.scripting.command_options import GivenOptions, Option, read_options

_PARSER = "OptionParser"
_DEFINED = "options"
_FLAG = re.compile(r"--?(?P<no>\[no-\])?(?P<name>[A-Za-z][\w-]*)(?P<value>[ =]?\[?=?[A-Za-z<{].*)?")


def _make_parser(evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
    made = Instance(_PARSER, {_DEFINED: ListValue("array")})
    block = arguments.named.get("block")
    if block is not None:
        evaluation.call(block, Arguments((made,)))
    return made


def _define_option(evaluation: Evaluation, receiver: Value | None, arguments: Arguments) -> Value | None:
    """Keeps an option with its block until the parser reads the command line."""
    defined = receiver.fields.get(_DEFINED) if isinstance(receiver, Instance) else None
    if isinstance(defined, ListValue):
        given = Instance("option", {"words": ListValue("array", arguments.positional), **_block_of(arguments)})
        evaluation.journal.append_items(defined, (given,))
    return receiver


def _block_of(arguments: Arguments) -> dict[str, Value]:
    block = arguments.named.get("block")
    return {} if block is None else {"block": block}


def _parse_line(evaluation: Evaluation, receiver: Value | None, arguments: Arguments) -> Value | None:
    """`parser.parse!(into: options)`: calls the blocks of the options that are given, or stores their values."""
    defined = receiver.fields.get(_DEFINED) if isinstance(receiver, Instance) else None
    items = [each for each in defined.items if isinstance(each, Instance)] if isinstance(defined, ListValue) else []
    options = [(_parse_words(each.fields["words"]), each) for each in items]
    given = read_options(evaluation, [option for option, _ in options])
    into = arguments.named.get("into")
    for option, each in options:
        value = given.find(option)
        if value is not None:
            _store(evaluation, given, option, value, each.fields.get("block"), into)
    return ListValue("array", given.others, None if given.is_known else Unknown("an argument"))


def _store(
    evaluation: Evaluation, given: GivenOptions, option: Option, value: Value, block: Value | None, into: Value | None
) -> None:
    def store_now() -> None:
        if block is not None:
            evaluation.call(block, Arguments((value,)))
        if isinstance(into, MapValue):
            evaluation.journal.put_entry(into, option.names[-1], value)

    if given.is_known:
        store_now()
    else:
        evaluation.run_possibly(store_now)


def _parse_words(words: Value) -> Option:
    """Returns an option by what it is defined with: `"-n", "--dry-run", "explanation"`, `"--days N", Integer`."""
    texts = [text_of(each) or "" for each in words.items] if isinstance(words, ListValue) else []
    found = [match for text in texts if (match := _FLAG.fullmatch(text)) is not None]
    return Option(tuple(match["name"] for match in found) or ("?",), any(match["value"] for match in found))


OPTION_CALLS: Mapping[str, SpecialCall] = {
    f"{_PARSER}.new": _make_parser,
    **dict.fromkeys((f"{_PARSER}.on", f"{_PARSER}.on_tail", f"{_PARSER}.on_head"), _define_option),
    **dict.fromkeys((f"{_PARSER}.parse!", f"{_PARSER}.parse", f"{_PARSER}.order!", f"{_PARSER}.permute!"), _parse_line),
}

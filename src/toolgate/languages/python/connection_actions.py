"""Functions for Python's rows on connections, decoded text, terminals and agents."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from typing import Any

from toolgate.languages.evaluation.file_changes import is_written
from toolgate.languages.evaluation.obtained_secrets import hands_on_secret
from toolgate.languages.evaluation.shared_results import look_up_name
from toolgate.languages.evaluation.shared_state import Arguments, Evaluation
from toolgate.languages.evaluation.values import (
    FALSE,
    NULL,
    Constant,
    Instance,
    ListValue,
    Value,
    collect_sources,
    holds_environment,
    holds_kind,
    list_alternatives,
    text_of,
    unknown_from,
    unknown_of_kind,
    word_of,
    words_of,
)
from toolgate.model.effect import Carrier, Connect, Interpret
from toolgate.model.word import HoleKind, Word, known_word, unknown_word

from .model_code import load_model


def make_response(evaluation: Evaluation, *_argument: Value | None) -> Value:
    text = evaluation.report.response()
    return Instance("response", {"text": text, "content": text, "items": ListValue("iterator", (), text)})


def response_text(_evaluation: Evaluation, receiver: Value | None, _arguments: Arguments) -> Value | None:
    return receiver.fields.get("text") if isinstance(receiver, Instance) else None


def make_request(evaluation: Evaluation, url: Value | None, data: Value | None = None) -> Value:
    return Instance("request", {"data": data or NULL}, word_of(url) if url is not None else None)


def send_data(evaluation: Evaluation, data: Value | None = None) -> Value:
    """Sends data over an open connection: reported only if it is the whole environment, or a secret."""
    if data is not None and (holds_environment(data) or hands_on_secret(data)):
        evaluation.report.connect(unknown_word("a server"), data)
    return unknown_from("the response", data)


# ---- text that is made


def decode_data(evaluation: Evaluation, data: Value | None) -> Value:
    evaluation.report.operation("text.decode")
    return _decode_unknown(data, collect_sources(data) | evaluation.report.own_command)


def _decode_unknown(data: Value | None, src: frozenset[int]) -> Value:
    is_secret = data is not None and holds_kind(data, HoleKind.SECRET, 1)
    return unknown_of_kind(HoleKind.SECRET, src) if is_secret else unknown_word("decoded data", src)


def decode_base64(evaluation: Evaluation, data: Value | None) -> Value:
    evaluation.report.operation("text.decode")
    src = collect_sources(data) | evaluation.report.own_command
    text = text_of(data)
    try:
        return known_word(base64.b64decode(text).decode(), src) if text is not None else _decode_unknown(data, src)
    except ValueError:
        return unknown_word("decoded data", src)


def unpickle_data(evaluation: Evaluation, data: Value | None) -> Value:
    """Unpickles data: if a server sent it, or it was decoded on the way, it may be anything, and a pickle runs code."""
    report = evaluation.report
    for path in _list_paths(data):
        _unpickle_file(evaluation, path)
    if data is not None and collect_sources(data) and report.is_new("unpickled"):
        is_unknown = "text.decode" in report.operations or holds_kind(data, HoleKind.RESPONSE, 2)
        if is_unknown:
            report.interpret(report.unknown_output("a pickle"), via=Carrier("Python's pickle.loads"))
    return unknown_from("unpickled data", data)


def _list_paths(data: Value | None) -> list[Word]:
    """Returns the paths of a file that is open, or that is named."""
    alternatives = () if data is None else list_alternatives(data)
    files = [each for each in alternatives if isinstance(each, Instance) and "path" in each.fields]
    if files:
        return [path for file in files for path in words_of(file.fields["path"])]
    return [each for each in alternatives if isinstance(each, Word) and "/" in each.head]


def _unpickle_file(evaluation: Evaluation, path: Word) -> None:
    """Runs what a file holds that this call has downloaded; a file that stood there before is its author's."""
    report, via = evaluation.report, Carrier("Python's pickle.load")
    if path.starts_with("http") is True:
        report.connect(path)
        report.interpret(report.unknown_output("a pickle"), via=via)
    elif is_written(report, path):
        if any(isinstance(each, Connect) for each in report.effects):
            report.interpret(report.unknown_output("a pickle"), via=via)
    elif path.text is not None and (content := report.seen.read(path)).src - report.own_command:
        report.add_effect(Interpret("python", content, report.origin, (), via, of_project=True, sure=None))


def load_weights(evaluation: Evaluation, file: Value | None, safely: Value | None = None) -> Value:
    """`torch.load(file, weights_only=False)` unpickles; without that argument it only reads tensors."""
    return unpickle_data(evaluation, file) if safely is FALSE else unknown_from("a model", file)


def start_agent(evaluation: Evaluation, sources: Value | None = None, mode: Value | None = None) -> Value:
    """Options of the agent SDK. Without `setting_sources` it reads no settings, so it runs none of their hooks."""
    report = evaluation.report
    if not report.code.file:
        listed = [text_of(each) for each in sources.items] if isinstance(sources, ListValue) else []
        unguarded = None if "user" not in listed else False
        unasked = text_of(mode) == "bypassPermissions"
        report.operation("agent.start", known_word("an agent"), unguarded=unguarded, unasked=unasked)
    return Instance("agent options")


def type_keys(evaluation: Evaluation, *_argument: Value | None) -> Value:
    if not evaluation.report.code.file:
        evaluation.report.operation("terminal.type", known_word("whatever has the focus"), answers=True, elsewhere=False)
    return NULL


def control_terminal(evaluation: Evaluation, request: Value | None = None) -> Value:
    if isinstance(request, Constant) and request.value == 0x5412:
        evaluation.report.operation("terminal.type")
    return NULL


CONNECTION_ACTIONS: Mapping[str, Any] = {
    "response": make_response,
    "request": make_request,
    "send": send_data,
    "look_up": look_up_name,
    "decode": decode_data,
    "decode_base64": decode_base64,
    "unpickle": unpickle_data,
    "load_weights": load_weights,
    "load_model": load_model,
    "agent": start_agent,
    "type_keys": type_keys,
    "control_terminal": control_terminal,
}

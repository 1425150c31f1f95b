"""Processes that psutil lists, and their end."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from toolgate.languages.evaluation.leaf_texts import leaf_words
from toolgate.languages.evaluation.shared_results import signal_process
from toolgate.languages.evaluation.shared_state import Evaluation
from toolgate.languages.evaluation.values import NULL, Instance, Value, word_of

_SELECTING_PARTS = frozenset(
    "name cmdline exe children parent parents ppid status cwd open_files connections net_connections terminal".split()
)
"""What distinguishes one process from others. A number alone distinguishes only the code's own process from the rest, and a
user has all processes of a session."""


def listed_process(_evaluation: Evaluation, attrs: Value | None = None) -> Value:
    """Returns one of all processes. `attrs`: the parts that were asked for."""
    return Instance("psutil.Process", {"attrs": NULL if attrs is None else attrs})


def end_process(evaluation: Evaluation, process: Value | None) -> Value:
    """Ends a process; each of all processes, if the code looks at nothing that distinguishes them."""
    listed_with = process.fields.get("attrs") if isinstance(process, Instance) else None
    if process is None or listed_with is None:
        pid = process.fields.get("given0") if isinstance(process, Instance) else None
        return signal_process(evaluation, process if pid is None else pid)
    listed_names = {word.text for word in leaf_words(listed_with)}
    listed_names.update(name.rpartition(".")[2] for name in evaluation.called if name.startswith("psutil.Process."))
    if _SELECTING_PARTS.isdisjoint(listed_names) and not evaluation.report.is_excused:
        evaluation.report.operation("process.kill", word_of(process), everything=True, by_name=False)
        return NULL
    return signal_process(evaluation, process)


PROCESS_ACTIONS: Mapping[str, Any] = {"listed_process": listed_process, "end_process": end_process}

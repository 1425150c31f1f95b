"""Methods that create machines in a loop (`run_instances`, `droplets.create`), and training jobs that are many or large."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from toolgate.machine_names import MACHINES, names_machine
from toolgate.model.word import known_word

from .client_settings import list_settings
from .values import Instance, Unknown, Value

if TYPE_CHECKING:
    from .shared_state import Arguments, Evaluation

_MANY = 5
_MANY_JOBS = 20
"""Jobs from which a sweep is larger than anybody starts without a word about its cost."""
_MANY_LARGE = 4
_MANY_NODES = 16
_starts_job = re.compile(
    r"(?i)(?:fine_?tun\w*\.jobs|fine_?tunes|fine_?tuning_?jobs)\.create$"
    r"|\bcreate_?(?:training|fine_?tuning|fine_?tune|tuning|hyper_?parameter_?tuning|custom|model_?customization)_?jobs?(?:Command)?$"
    r"|^(?:sagemaker|google\.cloud\.aiplatform|azureml|vertexai)\b.*\.(?:fit|run|submit|create_and_run|train)$"
    r"|\bjobs\.create_or_update$|^together\b.*\.fine_tuning\.create$"
).search
_NODE_COUNTS = frozenset(
    (
        *("instance_count", "instancecount", "train_instance_count", "replica_count", "worker_count", "node_count", "num_nodes"),
        *("num_instances", "initial_node_count"),
    )
)
_MACHINE_TYPES = frozenset("instance_type instancetype train_instance_type machine_type machinetype vm_size node_type".split())
_is_large_machine = re.compile(
    r"(?:ml\.)?(?:p[345]\w*|trn\d\w*|g[56]\w*|x2\w*|u-\w+)\.(?:24|32|48|56|112)xlarge|(?:a2|a3)-(?:mega|ultra|high)gpu-(?:8|16)g"
    r"|Standard_N[DC]\w*|\w+-(?:416|208)\b",
    re.IGNORECASE,
).match


def report_created_machines(evaluation: Evaluation, name: str, arguments: Arguments, maker: str) -> None:
    """Reports a method that creates machines in each round of a loop, or starts many jobs. `maker`: what made the object whose
    method it is."""
    _report_training(evaluation, name, arguments)
    owner, _, method = name.rpartition(".")
    nouns = {owner.rpartition(".")[2].lower(), maker.rpartition(".")[2].lower()}
    creates = names_machine(method) or any(map(_is_creation, arguments.positional))
    if not creates and not (method in ("create", "insert") and not MACHINES.isdisjoint(nouns)):
        return
    count = evaluation.called.get("machine", 0) + 1
    evaluation.called["machine"] = count
    if evaluation.repeats or count >= _MANY:
        evaluation.report.operation("tool.act", known_word("code that creates paid machines in a loop"), multiplies=True)


def _report_training(evaluation: Evaluation, name: str, arguments: Arguments) -> None:
    """Reports training on many machines, or jobs that a long loop starts."""
    settings = [(key.lower(), value) for key, value in list_settings(arguments)]
    counts = [value for key, value in settings if key in _NODE_COUNTS and isinstance(value, int)]
    is_large = any(isinstance(value, str) and _is_large_machine(value) for _, value in settings)
    if max(counts, default=0) >= (_MANY_LARGE if is_large else _MANY_NODES) and any(key in _MACHINE_TYPES for key, _ in settings):
        evaluation.report.operation("tool.act", known_word("code that trains on many paid machines"), multiplies=True)
    if _starts_job(name):
        count = evaluation.called.get("training job", 0) + 1
        evaluation.called["training job"] = count
        if evaluation.repeats or count >= _MANY_JOBS:
            evaluation.report.operation("tool.act", known_word("code that starts paid training jobs in a loop"), multiplies=True)


def _is_creation(argument: Value) -> bool:
    """Returns whether an argument is a command that creates machines: `new RunInstancesCommand(..)`."""
    name = argument.type if isinstance(argument, Instance) else argument.name if isinstance(argument, Unknown) else ""
    return names_machine(name.rpartition(".")[2].removesuffix("Command"))

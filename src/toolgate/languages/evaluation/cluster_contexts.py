"""Clusters that Kubernetes' libraries are configured for: by a context, by a configuration file, or by the current one."""

from __future__ import annotations

import re

from toolgate.locality import is_local_address, is_local_cluster
from toolgate.model.execution_context import ExecutionContext
from toolgate.model.word import EMPTY, Word

from .opened_addresses import iter_settings
from .shared_state import Arguments
from .values import word_of

_LOADS_CONFIGURATION = re.compile(
    r"(?:^|\.)(?:load_kube_config|load_config|new_client_from_config|loadFromDefault|loadFromFile|setCurrentContext)$"
).search
_IN_CLUSTER = re.compile(r"(?:^|\.)(?:load_incluster_config|loadFromCluster|rest\.InClusterConfig)$").search
_OF_CLUSTER = re.compile(r"kubernetes|\bkr8s\b|makeApiClient")
_GO_CONFIGURATIONS = frozenset(
    (
        "clientcmd.BuildConfigFromFlags",
        "clientcmd.NewNonInteractiveDeferredLoadingClientConfig",
        "clientcmd.NewDefaultClientConfig",
    )
)
_CONTEXT_METHODS = ("setCurrentContext",)


def chooses_local_cluster(name: str, arguments: Arguments, context: ExecutionContext) -> bool | None:
    """Returns whether a call configures a library for a cluster of this machine; None for a call that configures nothing."""
    if _IN_CLUSTER(name):
        return False
    if name in _GO_CONFIGURATIONS:
        return _chooses_by_settings(arguments, context)
    if not _LOADS_CONFIGURATION(name):
        return None
    first = word_of(arguments.positional[0]) if arguments.positional else None
    method = name.rpartition(".")[2]
    chosen = first if method in _CONTEXT_METHODS else _find_argument(arguments, "context", 1)
    config = None if method in _CONTEXT_METHODS else _find_argument(arguments, "config_file", 0)
    return is_local_cluster(chosen, config, (), context)


def _chooses_by_settings(arguments: Arguments, context: ExecutionContext) -> bool:
    """Returns whether the objects and paths that Go's library is given choose a cluster of this machine:
    `clientcmd.BuildConfigFromFlags("", path)`, `&clientcmd.ConfigOverrides{CurrentContext: "kind-dev"}`."""
    server, *more = [*map(word_of, arguments.positional), EMPTY]
    if server.text:
        return is_local_address(server, context)
    settings = {key: word_of(value) for key, value in iter_settings(arguments)}
    config = settings.get("explicitpath", next((each for each in more if each.parts and each.text), None))
    return is_local_cluster(settings.get("currentcontext"), config, (), context)


def belongs_to_cluster(library: str) -> bool:
    """Returns whether a client's methods act at a cluster, by what made the client."""
    return _OF_CLUSTER.search(library) is not None


def _find_argument(arguments: Arguments, name: str, position: int) -> Word | None:
    if name in arguments.named:
        return word_of(arguments.named[name])
    return word_of(arguments.positional[position]) if len(arguments.positional) > position else None

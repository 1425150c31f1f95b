"""What a call says of the place that it acts on: a simulation, an environment for tests, a branch that is thrown away."""

import re
from collections.abc import Iterable, Mapping
from itertools import pairwise

from toolgate.locality import is_named_production
from toolgate.model.address import host_of, is_loopback

from .arguments import find_leaves
from .data_keys import is_data_key
from .harmless_marks import is_familiar
from .names import split_words

SIMULATIONS = frozenset(
    "sim sims sitl simulator simulators simulation simulated emulator turtle turtlesim gazebo sandbox playground mock mocks "
    "fake".split()
)
_SIMULATING = re.compile(r"(?:mock|fake|sandbox|simulat)\w+|\w{3,}(?:sim|simulator|sandbox|playground)").fullmatch
"""Matches a word in the name of a server that says the same: `mockserver`, `farmsim`."""
_ADDRESS_KEYS = frozenset("server host url endpoint address conn connection connectionstring broker uri rpcurl target".split())
_ENVIRONMENT_KEYS = frozenset(
    "env environment environmentname envname stage context kubecontext vhost account accountid frame mode apimode ambiente "
    "umgebung entorno environnement property".split()
)
"""Arguments that name the environment which a call acts on."""
_THROWAWAY = frozenset(
    "test tests testing ci preview previews sandbox playground local localhost mock fake training trial paper simulated sim sitl "
    "demo kind minikube ephemeral homologacao uat".split()
)
"""Words in the name of an environment that is made for a while, or in which nothing has a value."""
_PULL_REQUEST = re.compile(r"(?:.*[-_/])?(?:e2e|(?:pr|mr)[-_]?\d+)(?:[-_].*)?", re.I).fullmatch
"""Matches the name of an environment for end-to-end tests, or for a single pull request: `pr-918`."""
_BRANCHED = frozenset("neon planetscale xata".split())
_BRANCH_KEYS = frozenset("branch branchid branchname databasebranch".split())
_BRANCHES = frozenset("dev development test tests preview ci feature scratch tmp temp".split())
_MAX_NAME = 80  # characters of a name; longer values are text


def is_simulated(words: Iterable[str], arguments: Mapping[str, object]) -> bool:
    """Returns whether what a call acts on is a simulation, or on this machine. `words`: the words of its server and tool."""
    if names_simulation(words):
        return True
    places = [(key, value) for key, value in find_leaves(arguments) if isinstance(value, str) and len(value) <= _MAX_NAME]
    return any(
        not SIMULATIONS.isdisjoint(split_words(value))
        or (key in _ADDRESS_KEYS and "0.0.0.0" not in value and is_loopback(host_of(value)))
        for key, value in places
        if not is_data_key(key) or key == "topic"
    )


def names_simulation(words: Iterable[str]) -> bool:
    """Returns whether one of these words of a server's and a tool's name says that nothing of it is real."""
    all_words = frozenset(words)
    found = {word for word in all_words if word in SIMULATIONS or _SIMULATING(word)}
    return bool(found - _CARDS if all_words & _TELEPHONY else found)


_CARDS = frozenset(("sim", "sims", "esim"))
_TELEPHONY = frozenset(
    "card cards swap activate deactivate suspend port block telecom telco carrier mobile subscriber subscribers msisdn "
    "iccid imsi line lines".split()
)
"""Words beside which `sim` is a card of a telephone."""


def is_throwaway(server: str, tool: str, arguments: Mapping[str, object]) -> bool:
    """Returns whether an argument names an environment that is made for a while: that of a pull request, or one for tests. A tool
    for environments has the name of one in other arguments, too. Known servers drop arguments that they do not know: of theirs,
    only those count by which clients choose a cluster or a queue."""
    words = split_words(f"{server} {tool}")
    texts = [(key, value) for key, value in find_leaves(arguments) if isinstance(value, str) and len(value) <= _MAX_NAME]
    if not PRODUCTION.isdisjoint(words) or any(is_named_production(value) for key, value in texts if not is_data_key(key)):
        return False
    if {"test", "data"} <= set(words) or not _FIXTURES.isdisjoint(words):
        return True
    if is_familiar(split_words(server)):
        return any(_names_throwaway(value) for key, value in texts if key in _CHOSEN_PLACES)
    if any(made in _MAKING_VERBS and what == "test" for made, what in pairwise(split_words(tool))):
        return True
    keys = _ENVIRONMENT_KEYS | {"name", "id"} if not _ENVIRONMENTS.isdisjoint(words) else _ENVIRONMENT_KEYS
    return any(
        _names_throwaway(next(iter(value.split()), "") if key in _OWNED_KEYS else value) for key, value in texts if key in keys
    )


_OWNED_KEYS = frozenset("account accountid property".split())
"""Arguments that hold the name of somebody's: `Acme Paper` is no account with play money, `paper-7781` is one."""
_MAKING_VERBS = ("create", "make", "add", "seed", "generate")
_FIXTURES = frozenset("testdata fixtures fixture seeder".split())
_CHOSEN_PLACES = frozenset("context kubecontext vhost".split())
PRODUCTION = frozenset("prod production prd live".split())
_ENVIRONMENTS = frozenset("env environment environments preview previews".split())


def _names_throwaway(name: str) -> bool:
    return not _THROWAWAY.isdisjoint(split_words(name)) or _PULL_REQUEST(name) is not None


def is_throwaway_branch(server: str, arguments: Mapping[str, object]) -> bool:
    """Returns whether a call of a provider whose databases have branches names one that is for development or tests."""
    if _BRANCHED.isdisjoint(split_words(server)):
        return False
    named = [value for key, value in find_leaves(arguments) if key in _BRANCH_KEYS and isinstance(value, str)]
    is_own = any(not _BRANCHES.isdisjoint(split_words(value)) or _PULL_REQUEST(value) for value in named)
    return is_own and not any(map(is_named_production, named))

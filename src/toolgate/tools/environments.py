"""The environment that a server's tools act in, by its name and its arguments: this machine, or a provider's test mode."""

from collections.abc import Iterable, Mapping

from toolgate.locality import is_for_tests
from toolgate.model.address import host_of, is_loopback

from .arguments import find_leaves
from .carried_calls import is_dry_run
from .clients import QUERY_CLIENTS, name_database
from .names import bare_server, fold_key, split_words
from .rehearsals import PRODUCTION, is_throwaway_branch

_LOCAL = frozenset("local localhost emulator localstack devcontainer minikube".split())
_REHEARSAL = frozenset("test tests testing sandbox testmode mock simulator emulator local localhost".split())
_MODE_KEYS = frozenset("mode apikeymode environment env accountmode keymode".split())
_REHEARSAL_HOSTS = frozenset("paper sandbox testnet test demo".split())
_TEST_SWITCHES = frozenset("testmode sandbox istest issandbox test usesandbox".split())


def is_on_this_machine(server: str) -> bool:
    """Returns whether a server's name says that what it serves is on this machine, and nothing in it says production."""
    words = frozenset(split_words(server))
    return not words.isdisjoint(_LOCAL) and words.isdisjoint(PRODUCTION)


def moves_no_money(server: str, leaves: Iterable[tuple[str, object]]) -> bool:
    """Returns whether a payment is one of a provider's test mode, by the server's name or by the call's arguments."""
    words = frozenset(split_words(server))
    if not words.isdisjoint(PRODUCTION):
        return False
    return not words.isdisjoint(_REHEARSAL) or any(_chooses_test_mode(key, value) for key, value in leaves)


def is_on_test_chain(all_words: Iterable[str], leaves: Iterable[tuple[str, object]]) -> bool:
    """Returns whether a call of a blockchain's tool names a chain of this machine or for tests, on which nothing has a value.
    `all_words`: the words of the server's and the tool's names."""
    return is_about_chains(all_words) and any(
        (key in _CHAIN_KEYS and not _TEST_CHAINS.isdisjoint(split_words(str(value))))
        or (key in _NODE_KEYS and (is_loopback(host_of(str(value))) or not _TEST_CHAINS.isdisjoint(split_words(str(value)))))
        for key, value in leaves
    )


def is_about_chains(all_words: Iterable[str]) -> bool:
    """Returns whether one of these words of a server's and a tool's name is about blockchains."""
    return not _ABOUT_CHAINS.isdisjoint(all_words)


_ABOUT_CHAINS = frozenset(
    "evm eth ethereum solana web3 blockchain onchain chain wallet foundry hardhat contract crypto polygon avalanche arbitrum "
    "optimism coinbase alchemy thirdweb erc20 nft".split()
)
_CHAIN_KEYS = frozenset("network chain chainid networkid chainname".split())
_NODE_KEYS = frozenset("rpcurl rpc nodeurl provider endpoint url".split())
"""Arguments that hold the address of a node."""
_TEST_CHAINS = frozenset(
    "local localhost hardhat anvil foundry ganache sepolia goerli holesky amoy mumbai fuji devnet testnet localnet".split()
)


def _chooses_test_mode(key: str, value: object) -> bool:
    if key == "livemode":
        return value is False
    if key.endswith("url") and isinstance(value, str):
        return not _REHEARSAL_HOSTS.isdisjoint(split_words(host_of(value)))
    if key in _TEST_SWITCHES:
        return value is True
    return key in _MODE_KEYS and isinstance(value, str) and value.lower() in ("test", "sandbox")


def uses_emulator(server: str, arguments: Mapping[str, object]) -> bool:
    """Returns whether an argument says that an emulator takes the place of Firebase: `use_emulator: true`. Other servers drop an
    argument that they do not know, and use the service."""
    return not _EMULATED.isdisjoint(split_words(server)) and any(
        value is True and fold_key(key) in ("emulator", "useemulator") for key, value in arguments.items()
    )


_EMULATED = frozenset("firebase firestore".split())


def estimates_query(server: str, arguments: Mapping[str, object]) -> bool:
    """Returns whether a call has BigQuery check a query and estimate its cost. Other databases have no such run."""
    return not _ESTIMATING.isdisjoint(split_words(server)) and is_dry_run(arguments)


_ESTIMATING = frozenset("bigquery bq".split())


def connect_by_name(server: str, arguments: Mapping[str, object], argv: tuple[str, ...]) -> tuple[str, ...]:
    """Returns a database client's words with what the server's name says of the database: this machine as its host, production,
    or a provider. A branch for development of a provider's database is as good as one on this machine."""
    is_own = is_on_this_machine(server) or is_throwaway_branch(server, arguments)
    if argv[:1] and argv[0] in _LOCAL_OPTIONS and is_own:
        return (argv[0], *_LOCAL_OPTIONS[argv[0]], *argv[1:])
    return name_database(bare_server(server), dict(find_leaves(arguments)), argv)


_LOCAL_OPTIONS = {
    **dict.fromkeys(QUERY_CLIENTS, ("-h", "localhost")),
    "cypher-shell": ("-a", "bolt://localhost:7687"),
}
"""How a client is told to connect to this machine."""


def is_local_data(server: str, arguments: Mapping[str, object], operation: str) -> bool:
    """Returns whether an operation loses data of this machine only: by the server's name, or by an address among the arguments,
    if the database is named for tests."""
    if not operation.startswith("database."):
        return False
    texts = [value for value in arguments.values() if isinstance(value, str)]
    is_here = any("://" in value and is_loopback(host_of(value)) for value in texts)
    return is_on_this_machine(server) or (is_here and any(is_for_tests(value) for value in texts if "://" not in value))


_DATABASES = frozenset(
    "postgres postgresql pg mysql mariadb sqlite mongo mongodb redis valkey clickhouse database db supabase".split()
)


def is_local_database(server: str) -> bool:
    """Returns whether a server's name says that it serves a database of this machine."""
    return is_on_this_machine(server) and not _DATABASES.isdisjoint(split_words(server))

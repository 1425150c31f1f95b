"""The environment that a server's tools act in, by its name and its arguments: this machine, or a provider's test mode."""

from collections.abc import Iterable, Mapping

from .arguments import fold_key
from .carried_calls import is_dry_run
from .names import split_words

_LOCAL = frozenset("local localhost emulator localstack devcontainer minikube".split())
_REHEARSAL = frozenset("test tests testing sandbox testmode mock simulator emulator local localhost".split())
_PRODUCTION = frozenset("prod production prd live".split())
_MODE_KEYS = frozenset("mode apikeymode environment env accountmode keymode".split())
_TEST_SWITCHES = frozenset("testmode sandbox istest issandbox test usesandbox".split())


def is_on_this_machine(server: str) -> bool:
    """Returns whether a server's name says that what it serves is on this machine, and nothing in it says production."""
    words = frozenset(split_words(server))
    return not words.isdisjoint(_LOCAL) and words.isdisjoint(_PRODUCTION)


def moves_no_money(server: str, leaves: Iterable[tuple[str, object]]) -> bool:
    """Returns whether a payment is one of a provider's test mode, by the server's name or by the call's arguments."""
    words = frozenset(split_words(server))
    if not words.isdisjoint(_PRODUCTION):
        return False
    return not words.isdisjoint(_REHEARSAL) or any(_chooses_test_mode(key, value) for key, value in leaves)


def is_on_test_chain(named: Iterable[str], leaves: Iterable[tuple[str, object]]) -> bool:
    """Returns whether a call of a blockchain's tool names a chain of this machine or for tests, on which nothing has a value.
    `named`: the words of the server's and the tool's names."""
    return not _ABOUT_CHAINS.isdisjoint(named) and any(
        key in _CHAIN_KEYS and not _TEST_CHAINS.isdisjoint(split_words(str(value))) for key, value in leaves
    )


_ABOUT_CHAINS = frozenset(
    "evm eth ethereum solana web3 blockchain onchain chain wallet foundry hardhat contract crypto polygon avalanche arbitrum "
    "optimism coinbase alchemy thirdweb erc20 nft".split()
)
_CHAIN_KEYS = frozenset("network chain chainid networkid chainname".split())
_TEST_CHAINS = frozenset(
    "local localhost hardhat anvil foundry ganache sepolia goerli holesky amoy mumbai fuji devnet testnet localnet".split()
)


def _chooses_test_mode(key: str, value: object) -> bool:
    if key == "livemode":
        return value is False
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


def connect_to_this_machine(server: str, argv: tuple[str, ...]) -> tuple[str, ...]:
    """Returns a database client's words with this machine as its host, if the server's name says so."""
    is_client = argv[:1] and argv[0] in QUERY_CLIENTS and is_on_this_machine(server)
    return (argv[0], "-h", "localhost", *argv[1:]) if is_client else argv


def is_local_data(server: str, operation: str) -> bool:
    """Returns whether an operation loses data of this machine only."""
    return operation.startswith("database.") and is_on_this_machine(server)


QUERY_CLIENTS = ("psql", "mysql")
_DATABASES = frozenset(
    "postgres postgresql pg mysql mariadb sqlite mongo mongodb redis valkey clickhouse database db supabase".split()
)


def is_local_database(server: str) -> bool:
    """Returns whether a server's name says that it serves a database of this machine."""
    return is_on_this_machine(server) and not _DATABASES.isdisjoint(split_words(server))

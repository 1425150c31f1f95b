"""Wallets and clients of block chains: what they send is gone.

GROWS: one row per program with the subcommands that sign and send a transaction. Chains of this machine and test networks pass.
"""

import re
from collections.abc import Iterator

from toolgate.model.address import host_of, is_loopback
from toolgate.model.effect import Operation, PrintedOutput, ReportedEffect
from toolgate.model.execution_context import ExecutionContext
from toolgate.model.word import Word, join_words
from toolgate.programs.argv.program import INFORMATION_OPTIONS, Program, program_name

_SENDING_VERBS: dict[str, str] = {
    "cast": "send publish mktx",
    "solana": "transfer withdraw-stake close deploy",
    "spl-token": "transfer burn close mint",
    **dict.fromkeys(
        ("bitcoin-cli", "litecoin-cli", "dogecoin-cli", "zcash-cli", "dash-cli"),
        "sendtoaddress sendmany sendall send sendrawtransaction z_sendmany",
    ),
    "lncli": "payinvoice sendpayment sendcoins sendmany closeallchannels",
    "lightning-cli": "pay withdraw multiwithdraw",
    "electrum": "payto paytomany broadcast sweep",
    "near": "send send-near tokens delete-account",
    "aptos": "transfer",
    "sui": "pay pay-sui pay-all-sui transfer transfer-sui",
    "starkli": "invoke",
    "tezos-client": "transfer",
    "octez-client": "transfer",
    "gaiad": "send",
    "monero-wallet-cli": "transfer sweep_all",
}
_TEST_NETWORK = re.compile(
    r"(?i)(?:^|[-=/.])(?:regtest|testnet\d?|devnet|localnet|local|signet|sepolia|holesky|goerli|mumbai|amoy|fuji|ghostnet|sandbox|anvil|dev)"
    r"(?=$|[-/.:])"
)
_DRY_RUNS = frozenset((*INFORMATION_OPTIONS, "--dry-run", "--simulate", "--estimate", "--sign-only", "--generate-only"))


def send_funds(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    """Reports a transaction, unless an option or a variable leads to a chain of this machine or to a test network."""
    texts = [word.text or "" for word in argv[1:]]
    verbs = _SENDING_VERBS[argv[0].file_name].split()
    where = [*texts, *(value.text or "" for name in ("ETH_RPC_URL", "RPC_URL") for value in context.get_variables(name))]
    networks = [text for text in where if not text.startswith(("/", "~", "."))]
    is_for_tests = any(_TEST_NETWORK.search(text) or ("://" in text and is_loopback(host_of(text))) for text in networks)
    plain = [text for text in texts if not text.startswith("-")][:3]
    if not _DRY_RUNS.isdisjoint(texts) or is_for_tests:
        return
    if any(verb in plain for verb in verbs):
        yield Operation("cloud.delete", context.origin, join_words(argv[1:3]), (("dry_run", False), ("pays", True)))
    yield PrintedOutput(context.unknown_output(program_name(argv)))


ROWS: dict[str, Program] = dict.fromkeys(_SENDING_VERBS, Program(does=send_funds))

"""Mining cryptocurrency with the machine.

It is what break-ins most often leave behind. No build or test needs it.
"""

from collections.abc import Iterator

from toolgate.model.decision import Match
from toolgate.model.effect import Run
from toolgate.model.rule import RuleContext

# fmt: off
_MINERS = frozenset((
    "xmrig", "xmr-stak", "minerd", "cpuminer", "cpuminer-multi", "ethminer", "cgminer", "bfgminer", "nbminer", "lolminer",
    "lolMiner", "phoenixminer", "t-rex", "teamredminer", "gminer",
))
# fmt: on
_POOL_PREFIXES = ("stratum+", "stratum1+", "stratum2+", "stratum://")

_ADVICE = "leave it to the owner of the machine."


def check(run: Run, _options: None, _context: RuleContext) -> Iterator[Match]:
    name = run.argv[0].tail.rpartition("/")[2]
    if name in _MINERS and len(run.argv) > 1 and run.argv[1].text not in ("--help", "-h", "--version", "-V"):
        yield Match(run, f"Mines coins with {name}.", _ADVICE)
    elif any(word.head.startswith(_POOL_PREFIXES) for word in run.argv[1:]) and name not in (
        "echo",
        "grep",
        "rg",
        "printf",
        "git",
    ):
        yield Match(run, f"Joins a pool that mines coins, with {name}.", _ADVICE)

"""Mining cryptocurrency with the machine.

It is what break-ins most often leave behind. No build or test needs it.
"""

from collections.abc import Iterator

from toolgate.model.decision import Match
from toolgate.model.effect import Run
from toolgate.model.rule import RuleContext
from toolgate.model.word import Word

# fmt: off
_MINERS = frozenset((
    "xmrig", "xmr-stak", "minerd", "cpuminer", "cpuminer-multi", "ethminer", "cgminer", "bfgminer", "nbminer", "lolminer",
    "lolMiner", "phoenixminer", "t-rex", "teamredminer", "gminer",
))
# fmt: on
_POOL_PREFIXES = ("stratum+", "stratum1+", "stratum2+", "stratum://")

_ADVICE = "leave it to the owner of the machine."


_CONTAINER_ENGINES = ("docker", "podman", "nerdctl")


def _names_miner(image: Word) -> bool:
    """Returns whether an image has a miner's name: `xmrig/xmrig:latest`."""
    text = image.text or ""
    return "/" in text and text[0] not in "/.-" and text.partition(":")[0].rpartition("/")[2] in _MINERS


def check(run: Run, _options: None, _context: RuleContext) -> Iterator[Match]:
    name = run.argv[0].file_name
    if name in _MINERS and len(run.argv) > 1 and run.argv[1].text not in ("--help", "-h", "--version", "-V"):
        yield Match(run, f"Mines coins with {name}.", _ADVICE)
    elif name in _CONTAINER_ENGINES and any(_names_miner(word) for word in run.argv[2:]):
        yield Match(run, f"Mines coins in a container of {name}.", _ADVICE)
    elif any(word.head.startswith(_POOL_PREFIXES) for word in run.argv[1:]) and name not in (
        "echo",
        "grep",
        "rg",
        "printf",
        "git",
    ):
        yield Match(run, f"Joins a pool that mines coins, with {name}.", _ADVICE)

"""Measures the names of functions, methods and parameters, and fails where they fall below the bars. `make lint` runs it.

A name stands alone at its call site: a verb phrase, a noun phrase, or one word that is the field's own term, the method of a
protocol, or the program that a handler implements. Dunders are left out; leading underscores do not count.
"""

import ast
import re
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[1]

_IRREGULAR = frozenset(
    "begun bound bought brought built caught chosen cut done drawn driven fallen felt found given gone gotten grown had "
    "heard held hidden kept known laid led left lent lost made meant met paid put said seen sent set shown shut sold sought "
    "spelt spent spoken spread stolen stood stuck sworn taken taught told thought thrown torn understood won worn written".split()
)
_NO_PARTICIPLES = frozenset(
    "embed exceed feed need proceed seed speed shed bed red bring encoding listing mapping ping ring setting spelling "
    "string thing token open screen even often eleven then when children parted shorten shred set put cut warning "
    "building".split()
)
_PARTICIPLE = re.compile(r"[a-z]{2,}(?:ed|en|ing)")
FUNCTION_WORDS = frozenset(
    "above across after against along amid among around as at before behind below beneath beside besides between beyond by "
    "down during except for from in inside into like near of off on onto out outside over past per since than through "
    "throughout till to toward towards under underneath until up upon via with within without he her hers him his i it its "
    "me mine my nobody nothing one ones other others ours she so some such that their theirs them there these they this "
    "those us we what where which who whom whose why you your".split()
)


class Name(NamedTuple):
    text: str
    path: Path
    line: int

    @property
    def is_one_word(self) -> bool:
        return "_" not in self.text

    @property
    def is_participle(self) -> bool:
        if self.text in _NO_PARTICIPLES or not self.is_one_word:
            return False
        return self.text in _IRREGULAR or _PARTICIPLE.fullmatch(self.text) is not None

    @property
    def is_function_word(self) -> bool:
        return self.text in FUNCTION_WORDS


def iter_names(folder: Path) -> Iterator[Name]:
    for path in sorted(folder.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and not node.name.startswith("__"):
                if path.parent.name == "cli" and node.name == path.stem:
                    continue  # a verb of the command line
                yield Name(node.name.strip("_"), path, node.lineno)


def iter_parameters(folder: Path) -> Iterator[Name]:
    for path in sorted(folder.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
                for each in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs):
                    yield Name(each.arg.strip("_"), path, each.lineno)


class Bars(NamedTuple):
    """The largest shares that a folder's names may have."""

    one_word: float
    participles: float
    vague_parameters: float


def check_names(folders: Sequence[Path], bars: Bars) -> bool:
    """Prints the figures of some folders. Returns whether they meet the bars."""
    names = [name for folder in folders for name in iter_names(folder) if not name.text.startswith("test_")]
    parameters = [name for folder in folders for name in iter_parameters(folder)]
    vague = [name for name in parameters if name.is_participle or name.is_function_word]
    one_word = [name for name in names if name.is_one_word]
    participles = [name for name in names if name.is_participle]
    function_words = [name for name in names if name.is_function_word]
    print(
        f"{', '.join(str(folder.relative_to(ROOT)) for folder in folders)}: "
        f"{len(names)} names: {len(one_word) / len(names):.1%} of one word (at most {bars.one_word:.0%}), "
        f"{len(participles) / len(names):.1%} bare participles (at most {bars.participles:.0%}), "
        f"{len(function_words)} prepositions and pronouns (none); "
        f"{len(parameters)} parameters: {len(vague) / len(parameters):.1%} participles, prepositions and pronouns "
        f"(at most {bars.vague_parameters:.0%})"
    )
    for name in (*participles, *function_words):
        print(f"  {name.path.relative_to(ROOT)}:{name.line}: {name.text}")
    excessive = [one_word] if len(one_word) > bars.one_word * len(names) else []
    excessive += [vague] if len(vague) > bars.vague_parameters * len(parameters) else []
    for group in excessive:
        counts = Counter(name.text for name in group).most_common(40)
        print("  most frequent:", ", ".join(f"{text} {count}" for text, count in counts))
    return not excessive and not function_words and len(participles) <= bars.participles * len(names)


def main() -> int:
    results = [check_names(folders, bars) for folders, bars in CHECKED]
    return 0 if all(results) else 1


CHECKED = (
    ((ROOT / "src" / "toolgate",), Bars(one_word=0.30, participles=0.02, vague_parameters=0.03)),
    (tuple(ROOT / name for name in ("tests", "benchmarks", "demo", "docs")), Bars(0.60, 0.02, 0.05)),
)
"""Test functions are exempt; other functions of tests may be called by one word more often."""


if __name__ == "__main__":
    sys.exit(main())

"""Measures the names of functions, methods and parameters in src, and fails where they fall below the bars. `make lint` runs it.

A name stands alone at its call site: a verb phrase, a noun phrase, or one word that is the field's own term, the method of a
protocol, or the program that a handler implements. Dunders are left out; leading underscores do not count.
"""

import ast
import re
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

SOURCE = Path(__file__).parents[1] / "src" / "toolgate"
ONE_WORD = 0.30
"""The largest share of names of one word."""
PARTICIPLES = 0.02
"""The largest share of bare participles: a name that says neither what is done nor what is returned."""
VAGUE_PARAMETERS = 0.03
"""The largest share of parameters whose name is a bare participle, a preposition or a pronoun: some fit (`before`, `other`)."""

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


def main() -> int:
    names, parameters = list(iter_names(SOURCE)), list(iter_parameters(SOURCE))
    vague = [name for name in parameters if name.is_participle or name.is_function_word]
    one_word = [name for name in names if name.is_one_word]
    participles = [name for name in names if name.is_participle]
    function_words = [name for name in names if name.is_function_word]
    print(
        f"{len(names)} names: {len(one_word) / len(names):.1%} of one word (at most {ONE_WORD:.0%}), "
        f"{len(participles) / len(names):.1%} bare participles (at most {PARTICIPLES:.0%}), "
        f"{len(function_words)} prepositions and pronouns (none)"
    )
    share = len(vague) / len(parameters)
    print(f"{len(parameters)} parameters: {share:.1%} participles, prepositions and pronouns (at most {VAGUE_PARAMETERS:.0%})")
    for name in (*participles, *function_words):
        print(f"  {name.path.relative_to(SOURCE)}:{name.line}: {name.text}")
    if len(one_word) > ONE_WORD * len(names):
        print(
            "  most frequent:", ", ".join(f"{text} {count}" for text, count in Counter(n.text for n in one_word).most_common(40))
        )
        return 1
    if share > VAGUE_PARAMETERS:
        print("  most frequent:", ", ".join(f"{text} {count}" for text, count in Counter(n.text for n in vague).most_common(40)))
        return 1
    return int(len(participles) > PARTICIPLES * len(names) or bool(function_words))


if __name__ == "__main__":
    sys.exit(main())

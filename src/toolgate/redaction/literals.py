"""Where do any of these literals stand in a text? By an Aho-Corasick automaton in Rust or in C, or by what Python itself has."""

import re
from collections.abc import Callable, Iterable

Places = Iterable[tuple[int, int, int]]
"""Which literal, where it begins, where it ends."""
Search = Callable[[str], Places]


def search(literals: tuple[str, ...]) -> Search:
    """Every occurrence of every literal, overlapping ones too, by the best there is here."""
    for make in (rust, c):
        try:
            return make(literals)
        except ImportError:
            continue
    return pure(literals)


def holds(literals: tuple[str, ...]) -> Callable[[str], bool]:
    """Does a text hold any of them? Cheaper to ask than where."""
    places = search(literals)

    def any_of_them(text: str) -> bool:
        for _ in places(text):
            return True
        return False

    return any_of_them


def rust(literals: tuple[str, ...]) -> Search:
    """ahocorasick_rs: the fastest; it has no wheel for musl."""
    from ahocorasick_rs import AhoCorasick, Implementation, MatchKind

    automaton = AhoCorasick(list(literals), matchkind=MatchKind.Standard, implementation=Implementation.DFA, store_patterns=False)

    def places(text: str) -> Places:
        try:
            return automaton.find_matches_as_indexes(text, overlapping=True)
        except UnicodeEncodeError:  # half a character (a lone surrogate): one character stands for one
            return automaton.find_matches_as_indexes(text.encode("utf-8", "replace").decode(), overlapping=True)

    return places


def c(literals: tuple[str, ...]) -> Search:
    """pyahocorasick, where there is no wheel of the other."""
    import ahocorasick

    automaton = ahocorasick.Automaton()
    for number, literal in enumerate(literals):
        automaton.add_word(literal, (number, len(literal)))
    automaton.make_automaton()

    def places(text: str) -> Places:
        return [(number, last + 1 - length, last + 1) for last, (number, length) in automaton.iter(text)]

    return places


def pure(literals: tuple[str, ...]) -> Search:
    """One expression that looks ahead at every place where a first pair of letters stands: slower by an order, never wrong."""
    starts: dict[str, list[tuple[int, str]]] = {}
    for number, literal in enumerate(literals):
        starts.setdefault(literal[:2], []).append((number, literal))
    heads = "|".join(re.escape(head) for head in sorted(starts, key=lambda head: (-len(head), head)))
    pattern = re.compile(f"(?=({heads}))")
    singles = {head for head in starts if len(head) == 1}

    def places(text: str) -> Places:
        for found in pattern.finditer(text):
            start = found.start()
            for head in {found[1], found[1][:1]} if singles else (found[1],):
                for number, literal in starts.get(head, ()):
                    if text.startswith(literal, start):
                        yield number, start, start + len(literal)

    return places

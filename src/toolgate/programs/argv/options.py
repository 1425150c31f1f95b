"""Parsing of argv by a row's list of options, as getopt_long does it: clusters, `--`, `--name=value`, unique prefixes, unknown
parts."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from toolgate.model.word import Maybe, Word

_INFORMATION_OPTIONS = frozenset(("--help", "--version"))
_NO_VALUE, _VALUE, _MAY_HAVE_VALUE = 0, 1, 2


@dataclass(slots=True)
class ParsedOptions:
    """The parsed options and operands of an argv. An option goes by the last of its names in the row (`-f,--force` is `--force`).

    `open`: an unknown word is where an option may be, so any flag may be given. `possible`: the flags that
    an ambiguous abbreviation may mean.
    `strange`: options that the row does not know. `rest`: the index of the first operand, when parsing stopped there.
    """

    flags: set[str] = field(default_factory=set)
    values: list[tuple[str, Word]] = field(default_factory=list)
    operands: list[Word] = field(default_factory=list)
    strange: list[str] = field(default_factory=list)
    rest: int = 0
    open: bool = False
    possible: set[str] = field(default_factory=set)

    def has_flag(self, *names: str) -> Maybe:
        """Returns whether one of these options is given."""
        if not self.flags.isdisjoint(names):
            return True
        return False if not self.open and self.possible.isdisjoint(names) else None

    def value_of(self, *names: str) -> Word | None:
        """Returns the value of an option; the last one given counts."""
        return next((word for name, word in reversed(self.values) if name in names), None)

    def values_of(self, *names: str) -> Iterator[Word]:
        return (word for name, word in self.values if name in names)


class Flags:
    """A row's options: `-f,--force` takes no value, `-o,--output=` takes one, `--color=?` may take one (attached only).

    The text after `=` or `=?` is the role of the value (`--output=write`). Names with one dash and several letters
    (`-name`, `-auto-approve`) are options of their own, not clusters.
    """

    __slots__ = ("_canonical", "_kind", "_long", "roles")

    def __init__(self, spec: str = "") -> None:
        self._kind: dict[str, int] = {}
        self._canonical: dict[str, str] = {}
        self.roles: dict[str, str] = {}
        for token in spec.split():
            names, equals, role = token.partition("=")
            kind = _NO_VALUE if not equals else _MAY_HAVE_VALUE if role.startswith("?") else _VALUE
            if "," in role:
                raise ValueError(f"{token}: names stand before the =, a role after it")
            aliases = names.split(",")
            for name in aliases:
                self._kind[name] = kind
                self._canonical[name] = aliases[-1]
            if role.lstrip("?"):
                self.roles[aliases[-1]] = role.lstrip("?")
        self._long = [name for name in self._kind if name.startswith("--")]

    def parse(self, argv: tuple[Word, ...], *, start: int = 1, stop: bool = False) -> ParsedOptions:
        """Parses argv. `stop`: the first operand ends the options, as in programs that run the command after it."""
        parsed = ParsedOptions()
        n = start
        while n < len(argv):
            word = argv[n]
            head = word.head
            if head[:1] != "-" or (head == "-" and word.text == "-"):
                if not head and word.parts and _may_be_option(word, argv, n):
                    parsed.open = True
                parsed.operands.append(word)
                if stop:
                    break
                n += 1
            elif word.text == "--":
                n += 1
                parsed.operands += argv[n:]
                break
            elif head.startswith("--"):
                n = self._read_long(word, argv, n, parsed)
            elif len(head) > 2 and head.partition("=")[0] in self._kind and len(head.partition("=")[0]) > 2:
                n = self._take_single_dash(word, argv, n, parsed)
            else:
                n = self._read_cluster(word, argv, n, parsed)
        parsed.rest = min(n, len(argv))
        return parsed

    def _take_single_dash(self, word: Word, argv: tuple[Word, ...], n: int, options: ParsedOptions) -> int:
        """Reads a long option with one dash: `-auto-approve`, `-chdir=DIR`."""
        name, attached, value = word.partition("=")
        if not attached:
            return self._take_option(name.head, argv, n, options)
        options.flags.add(self._canonical[name.head])
        options.values.append((self._canonical[name.head], value))
        return n + 1

    def _take_option(self, name: str, argv: tuple[Word, ...], n: int, options: ParsedOptions) -> int:
        """Reads an option without an attached value; the next word is its value if it takes one."""
        canonical = self._canonical[name]
        options.flags.add(canonical)
        if self._kind[name] == _VALUE and n + 1 < len(argv):
            options.values.append((canonical, argv[n + 1]))
            return n + 2
        return n + 1

    def _read_long(self, word: Word, argv: tuple[Word, ...], n: int, options: ParsedOptions) -> int:
        left, attached, value = word.partition("=")
        text = left.head
        name = self._resolve_long_option(text)
        if len(left.parts) > 1:  # `--$X`
            options.open = True
        if name is None:
            options.possible |= self._options_with_prefix(text)
            if "-" + text.lstrip("-") in self._kind:  # `--auto-approve` where the row says `-auto-approve`
                name = "-" + text.lstrip("-")
            else:
                options.strange.append(text)
                return n + 1
        if attached:
            options.flags.add(self._canonical[name])
            options.values.append((self._canonical[name], value))
            return n + 1
        return self._take_option(name, argv, n, options)

    def _resolve_long_option(self, text: str) -> str | None:
        if text in self._kind:
            return text
        matches = self._options_with_prefix(text)
        return next(iter(matches)) if len(matches) == 1 else None

    def _options_with_prefix(self, text: str) -> set[str]:
        """Returns the options that a prefix may abbreviate. `--help` and `--version` give way to others, since not every program
        has them."""
        matches = {self._canonical[name] for name in self._long if name.startswith(text)}
        return (matches - _INFORMATION_OPTIONS) or matches

    def _read_cluster(self, word: Word, argv: tuple[Word, ...], n: int, options: ParsedOptions) -> int:
        head = word.head
        for at in range(1, len(head)):
            name = "-" + head[at]
            kind = self._kind.get(name)
            if kind is None:
                options.strange.append(name)
                continue
            canonical = self._canonical[name]
            options.flags.add(canonical)
            if kind == _NO_VALUE:
                continue
            attached = word.drop_first(at + 1)
            if attached.parts:
                options.values.append((canonical, attached))
                return n + 1
            if kind == _VALUE and n + 1 < len(argv):
                options.values.append((canonical, argv[n + 1]))
                return n + 2
            return n + 1
        if len(word.parts) > 1:  # `-$X`
            options.open = True
        return n + 1


def _may_be_option(word: Word, argv: tuple[Word, ...], n: int) -> bool:
    """Returns whether an unknown start of a word may be an option. A single quoted unknown word is the operand: the program needs
    one."""
    if word.starts_with("-") is False:
        return False
    if not word.splits and ":/" in word.tail:
        return False  # `"$host:/srv/www"`: a place on another machine
    like = word.pattern
    if like.startswith("*") and not like.startswith("**"):
        return False  # a glob: file names rarely begin with a dash
    return word.splits or len(argv) > n + 1 or (n > 1 and any(other.head[:1] != "-" for other in argv[1:n]))

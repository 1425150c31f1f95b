"""Parses a policy file to statements, or raises a PolicyError that names file, line, key and remedy.

Strict on purpose: an ignored key, or a rule that can never match, only seems to protect.
"""

import difflib
import tomllib
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, fields
from typing import Any, TypeVar, get_args

import msgspec

from toolgate.model.decision import Rate, Verdict
from toolgate.model.errors import PolicyError
from toolgate.model.glob import name_matches
from toolgate.model.place import ZONES
from toolgate.model.rule import Author, Redaction, Row, WrittenRule
from toolgate.redaction.detectors import KINDS
from toolgate.rules.written import compiled

from . import describing, forms
from .limits import undo_limits, with_limits
from .lines import line_of
from .statements import Example, Stated, StatedFloor, Statements
from .strictness import SWITCHES

Key = tuple[str | int, ...]
RAISES_ONLY = (
    "a project's file may only raise verdicts ([rules]), add rules ([[rule]]) and say what tools do ([mcp], without `run`); "
    "say the rest in your own file"
)

LONGEST_LINE = 4096
STRANGERS_EXAMPLES = 50  # each is judged once when the file is new


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """The names that a file may use: the rules of the table, the names of operations (empty: not known), the shipped profiles,
    and the options of a rule (a dataclass; None: it has none)."""

    table: Mapping[str, Row]
    operations: Collection[str] = ()
    profiles: Collection[str] = ()
    options: Callable[[str], type | None] = lambda _rule: None


def read(data: bytes, author: Author, file: str, words: Vocabulary) -> Statements:
    return _File(data, author, file, words).statements()


T = TypeVar("T")


class _File:
    """Parses one file: every error needs its text and its name."""

    def __init__(self, data: bytes, author: Author, file: str, words: Vocabulary) -> None:
        self.author, self.file, self.words = author, file, words
        try:
            self.text = data.decode()
            self.short_lines()
            self.table: dict[str, Any] = tomllib.loads(self.text)
        except UnicodeDecodeError as problem:
            raise PolicyError(file, "", f"not UTF-8 (byte {problem.start})", "save it as UTF-8") from None
        except tomllib.TOMLDecodeError as problem:
            what, _, where = str(problem).replace(" (at end of document)", "").partition(" (at line ")
            line = int(where.partition(",")[0]) if where[:1].isdigit() else None
            raise PolicyError(file, "", f"not TOML: {what}", "mend the syntax there", line) from None
        except (RecursionError, ValueError):
            raise PolicyError(file, "", "nested too deep, or a number too long", "write it plainer") from None

    def short_lines(self) -> None:
        """The standard library's parser takes quadratic time over a key of many parts, and a key stays on its line."""
        for number, line in enumerate(self.text.split("\n"), 1):
            if len(line) > LONGEST_LINE:
                raise PolicyError(self.file, "", f"a line of more than {LONGEST_LINE} characters", "break it up", number)

    def error(self, key: Key, problem: str, remedy: str) -> PolicyError:
        return PolicyError(self.file, dotted(key), problem, remedy, line_of(self.text, key))

    def statements(self) -> Statements:
        self.tools_are_tables()
        for key, table, form in _pieces(self.table, self.author):
            self.check(key, table, form)
        rules, floors = self.section("rules", forms.Rule), self.section("floors", forms.Floor)
        projects = self.section("project", forms.Project)
        self.known(self.table.get("profile", ""), self.words.profiles, ("profile",), "profile")
        pairs = [self.written(each, n) for n, each in enumerate(msgspec.convert(self.table.get("rule", []), list[forms.Written]))]
        examples = tuple(example for _, some in pairs for example in some)
        if self.author == "project" and len(examples) > STRANGERS_EXAMPLES:
            raise self.error(("rule",), f"more than {STRANGERS_EXAMPLES} examples", "keep those that say most")
        return Statements(
            author=self.author,
            file=self.file,
            profile=self.table.get("profile", ""),
            switches=switches(self.table),
            rules=with_limits(self.stated(rules, ("rules",)), self.table.get("limits", {})),
            floors={rule: self.floor(rule, floor) for rule, floor in floors.items()},
            written=tuple(rule for rule, _ in pairs),
            examples=examples,
            projects={folder: self.stated(said.rules, ("project", folder, "rules")) for folder, said in projects.items()},
            users_may_lower=tuple(self.table.get("users_may_lower", ())),
            safe=self.folders("safe"),
            blocked=self.folders("blocked"),
            redaction=self.redaction(self.table.get("redaction", {})),
            tools=self.tools(),
            store=self.table.get("store", ""),
            undo=undo_limits(self.table.get("undo")),
            wrappers={name: " ".join(options) for name, options in self.table.get("wrappers", {}).items()},
        )

    def tools_are_tables(self) -> None:
        """Detects the likeliest mistake: a row where the tools' names should be."""
        for server, section in _tables(self.table.get("mcp")):
            for tool, said in section.items():
                if not isinstance(said, dict):
                    raise self.error(("mcp", server, tool), "not a tool's row", 'write tool = { delete = "path" }')

    def tools(self) -> dict[tuple[str, str], Mapping[str, str | tuple[str, ...]]]:
        found: dict[tuple[str, str], Mapping[str, str | tuple[str, ...]]] = {}
        for server, tools in self.table.get("mcp", {}).items():
            for tool, row in tools.items():
                for name, problem, remedy in describing.problems(server, tool, row, self.words.operations):
                    raise self.error(("mcp", server, tool, *([name] if name else [])), problem, remedy)
                found[server, tool] = describing.row(row)
        if len(found) > describing.MOST:
            raise self.error(("mcp",), f"more than {describing.MOST} tools", "describe those that matter")
        return found

    def section(self, name: str, form: type[T]) -> dict[str, T]:
        return msgspec.convert(self.table.get(name, {}), dict[str, form])  # type: ignore[valid-type]

    def folders(self, name: str) -> tuple[str, ...]:
        """Reads folders of `[zones]`: absolute, or inside the home folder; a project's may be inside the project too."""
        found: list[str] = []
        for n, each in enumerate(self.table.get("zones", {}).get(name, ())):
            relative = not each.startswith(("/", "~/")) and each != "~"
            if "/../" in f"/{each}/" or not each.isprintable() or (relative and self.author != "project"):
                raise self.error(("zones", name, n), "neither absolute nor beneath ~", "write /the/folder or ~/the/folder")
            found.append(f"./{each.removeprefix('./')}" if relative else each)
        return tuple(found)

    def stated(self, rules: Mapping[str, forms.Rule], key: Key) -> dict[str, Stated]:
        for rule, said in rules.items():
            self.known(rule, self.words.table, (*key, rule), "rule")
            if said.options:
                self.options(rule, said.options, (*key, rule, "options"))
        return {rule: stated(said) for rule, said in rules.items()}

    def check(self, key: Key, table: dict[str, Any], form: type[msgspec.Struct]) -> None:
        """Checks one table against its form; the tables inside it were checked before."""
        for name in table:
            if name not in form.__struct_fields__:
                near = difflib.get_close_matches(name, form.__struct_fields__, 1)
                remedy = f"did you mean {near[0]}?" if near else f"known here: {', '.join(form.__struct_fields__)}"
                if self.author == "project" and not near:
                    remedy = RAISES_ONLY
                raise self.error((*key, name), "unknown key", remedy)
        try:
            msgspec.convert(table, form)
        except msgspec.ValidationError as problem:
            what, _, path = str(problem).partition(" - at `$")
            inner = tuple(part for part in path.rstrip("`").replace("[...]", "").split(".") if part)
            missing = what.partition("required field `")[2].rstrip("`")
            full = (*key, *inner, *([missing] if missing else []))
            told = "missing" if missing else what[0].lower() + what[1:].replace(" | null", "")
            raise self.error(full, told, _remedy(full)) from None

    def known(self, name: str, names: Collection[str], key: Key, what: str) -> None:
        if name and name not in names:
            near = difflib.get_close_matches(name, names, 1)
            remedy = (
                f"did you mean {near[0]}?" if near else f"`toolgate {'rules' if what == 'rule' else 'policy schema'}` lists them"
            )
            raise self.error(key, f"there is no such {what}", remedy)

    def options(self, rule: str, given: dict[str, Any], key: Key) -> None:
        kind = self.words.options(rule)
        if kind is None:
            raise self.error(key, "this rule has no options", "leave them out")
        for name in given:
            self.known(name, [field.name for field in fields(kind)], (*key, name), "option")
        try:
            msgspec.convert(given, kind)
        except msgspec.ValidationError as problem:
            what, _, path = str(problem).partition(" - at `$.")
            raise self.error((*key, path.rstrip("`")), what[0].lower() + what[1:], "see docs/rules.md") from None

    def floor(self, rule: str, floor: forms.Floor) -> StatedFloor:
        key: Key = ("floors", rule)
        self.known(rule, self.words.table, key, "rule")
        sure, unsure = self.words.table[rule].floor
        lowered = StatedFloor(word(floor.verdict), word(floor.unsure or floor.verdict), floor.reason)
        lowered = StatedFloor(lowered.sure, min(lowered.unsure, unsure) if floor.unsure is None else lowered.unsure, floor.reason)
        if sure == Verdict.PASS and unsure == Verdict.PASS:
            raise self.error(key, "this rule has no floor", f'set it under [rules."{rule}"]')
        if lowered.sure >= sure and lowered.unsure >= unsure:
            raise self.error(key, "this does not lower the floor", f'raise it under [rules."{rule}"]')
        return lowered

    def written(self, form: forms.Written, n: int) -> tuple[WrittenRule, tuple[Example, ...]]:
        key: Key = ("rule", n)
        conditions = {name: getattr(form.on, name) for name in form.on.__struct_fields__}
        self.conditions({name: value for name, value in conditions.items() if value}, key)
        for name, text in (("reason", form.reason), ("instead", form.instead)):
            if not text.isprintable():
                raise self.error((*key, name), "holds control characters or line breaks", "write one line of plain text")
        name = form.id if self.author != "project" or form.id.startswith("project.") else f"project.{form.id}"
        if name in self.words.table:
            raise self.error((*key, "id"), f"{name} is a rule of toolgate itself", "choose another id")
        unsure = min(word(form.verdict), Verdict.ASK) if form.unsure is None else word(form.unsure)
        rule = WrittenRule(
            id=name,
            verdict=word(form.verdict),
            reason=form.reason,
            author=self.author,
            unsure=unsure,
            instead=form.instead,
            rate=rate(form.rate_limit),
            **conditions,
        )
        examples = [(text, True, "stops", i) for i, text in enumerate(form.stops)]
        examples += [(text, False, "leaves", i) for i, text in enumerate(form.leaves)]
        line = line_of(self.text, key)
        return rule, tuple(Example(rule, text, stops, dotted((*key, kind, i)), line) for text, stops, kind, i in examples)

    def conditions(self, given: Mapping[str, str], key: Key) -> None:
        """Raises an error for conditions that can never match."""
        on: Key = (*key, "on")
        if not given:
            raise self.error(
                on, "no condition: the rule would never match", f"give one of {', '.join(forms.On.__struct_fields__)}"
            )
        subjects = [name for name in ("operation", "path", "connect") if name in given]
        if len(subjects) > 1:
            problem = f"no effect has both {subjects[0]} and {subjects[1]}: the rule would never match"
            raise self.error(on, problem, "write two rules")
        operation = given.get("operation", "")
        if operation and self.words.operations and not any(name_matches(operation, each) for each in self.words.operations):
            near = difflib.get_close_matches(operation, self.words.operations, 1)
            remedy = f"did you mean {near[0]}?" if near else "`toolgate policy schema` lists them"
            raise self.error((*on, "operation"), "there is no such operation: the rule would never match", remedy)
        if not all(value.isprintable() for value in given.values()):
            raise self.error(on, "holds control characters", "write plain text")
        if given.get("path", "").count("**") > 4 or "../" in given.get("path", "") + "/":
            raise self.error((*on, "path"), "too many ** in it, or a .. in it", "name the folder itself")
        if given.get("zone", "") not in ("", *ZONES):
            raise self.error((*on, "zone"), "there is no such zone", f"one of {', '.join(ZONES)}")
        if "text" in given:
            self.pattern(given["text"], (*on, "text"))

    def redaction(self, said: Mapping[str, Any]) -> Redaction:
        patterns = tuple((each["kind"], each["match"]) for each in said.get("pattern", ()))
        for n, (kind, expression) in enumerate(patterns):
            if kind in KINDS:
                raise self.error(
                    ("redaction", "pattern", n, "kind"), f"{kind} is a kind of toolgate itself", "choose another name"
                )
            self.pattern(expression, ("redaction", "pattern", n, "match"))
        left_alone = said.get("exclude", {})
        return Redaction(
            personal=tuple(said["personal"]) or ("nothing",) if "personal" in said else (),
            patterns=patterns,
            values=tuple(each.lower() for each in left_alone.get("values", ())),
            domains=tuple(each.lower().lstrip("@") for each in left_alone.get("domains", ())),
            paths=tuple(left_alone.get("paths", ())),
        )

    def pattern(self, text: str, key: Key) -> None:
        try:
            compiled(text)
        except ValueError as problem:
            raise self.error(key, f"not a re2 expression: {problem}", "see https://github.com/google/re2/wiki/Syntax") from None
        except ImportError:
            raise self.error(key, "google-re2 is not installed", "pip install google-re2, or leave the expression out") from None


def word(text: str) -> Verdict:
    return Verdict[text.upper()]


def stated(rule: forms.Rule) -> Stated:
    verdict, unsure = (None if each is None else word(each) for each in (rule.verdict, rule.unsure))
    return Stated(verdict, unsure, rule.options, rate(rule.rate_limit))


def rate(limit: forms.RateLimit | None) -> Rate | None:
    return None if limit is None else (limit.calls, limit.seconds)


def switches(table: Mapping[str, Any]) -> dict[str, object]:
    given = {name: table[name] for name in SWITCHES if name in table and not isinstance(table[name], Mapping)}
    return {name: word(value) if name == "cap" else value for name, value in given.items()}


def dotted(key: Key) -> str:
    """Returns a key as written in TOML: `rules."git.force-push".verdict`, `rule[2].on`."""
    text = ""
    for part in key:
        if isinstance(part, int):
            text += f"[{part + 1}]"
        else:
            text += ("." if text else "") + (part if part.replace("_", "").replace("-", "").isalnum() else _quoted(part))
    return text


def _quoted(part: str) -> str:
    shown = "".join(char if char.isprintable() else "?" for char in part[:60])
    return f'"{shown}"'


def _pieces(table: dict[str, Any], author: Author) -> Iterator[tuple[Key, dict[str, Any], type[msgspec.Struct]]]:
    """Yields every table with a form of its own, the innermost first, so that an error names the key itself."""
    rule = forms.RaisedRule if author == "project" else forms.Rule
    for each, said in _tables(table.get("rules")):
        yield ("rules", each), said, rule
    if author != "project":
        for each, said in _tables(table.get("floors")):
            yield ("floors", each), said, forms.Floor
    if author == "user":
        for folder, section in _tables(table.get("project")):
            for each, said in _tables(section.get("rules")):
                yield ("project", folder, "rules", each), said, forms.Rule
            yield ("project", folder), section, forms.Project
    if isinstance(table.get("zones"), dict):
        yield ("zones",), table["zones"], forms.BlockedZones if author == "project" else forms.Zones
    if author != "project":
        yield from ((("limits",), said, forms.Limits) for said in _table(table, "limits"))
        yield from ((("undo",), said, forms.Undo) for said in _table(table, "undo"))
    yield from _of_redaction(table.get("redaction"), author)
    yield from _of_servers(table.get("mcp"), author)
    rules = table.get("rule")
    for n, said in enumerate(rules if isinstance(rules, list) else []):
        if isinstance(said, dict):
            if isinstance(said.get("on"), dict):
                yield ("rule", n, "on"), said["on"], forms.On
            yield ("rule", n), said, forms.Written
    yield (), table, forms.FILES[author]


def _of_redaction(said: object, author: Author) -> Iterator[tuple[Key, dict[str, Any], type[msgspec.Struct]]]:
    if not isinstance(said, dict):
        return
    patterns = said.get("pattern")
    for n, pattern in enumerate(patterns if isinstance(patterns, list) else []):
        if isinstance(pattern, dict):
            yield ("redaction", "pattern", n), pattern, forms.SecretPattern
    if author != "project" and isinstance(said.get("exclude"), dict):
        yield ("redaction", "exclude"), said["exclude"], forms.LeftAlone
    yield ("redaction",), said, forms.ProjectRedaction if author == "project" else forms.Redaction


def _of_servers(said: object, author: Author) -> Iterator[tuple[Key, dict[str, Any], type[msgspec.Struct]]]:
    for server, section in _tables(said):
        for tool, row in _tables(section):
            yield ("mcp", server, tool), row, forms.ProjectTool if author == "project" else forms.Tool


def _table(table: Mapping[str, Any], name: str) -> Iterator[dict[str, Any]]:
    if isinstance(table.get(name), dict):
        yield table[name]


def _tables(value: object) -> Iterator[tuple[str, dict[str, Any]]]:
    for name, each in value.items() if isinstance(value, dict) else ():
        if isinstance(each, dict):
            yield name, each


_WORDS = {
    "verdict": ", ".join(get_args(forms.VerdictWord)),
    "unsure": ", ".join(get_args(forms.VerdictWord)),
    "cap": ", ".join(get_args(forms.Raised)),
    "log": "off, interventions, decisions",
    "human": "true, false",
    "redact": "on, off",
    "placeholders": "keyed, labels",
    "addresses": "people, all",
    "wrap_commands": "true, false",
    "rewrite": "true, false",
    "undo": "on, off",
    "answer_prompts": "off, read-only, granted",
    **{name: "closed, warn" for name in SWITCHES if name.startswith("on_")},
}


def _remedy(key: Key) -> str:
    last = next((part for part in reversed(key) if isinstance(part, str)), "")
    if last in _WORDS:
        values = _WORDS[last].replace("pass, ", "") if key[0] == "rule" and last == "verdict" else _WORDS[last]
        return f"one of {values}"
    return "`toolgate policy schema` has the form"

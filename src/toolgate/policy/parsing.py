"""Parses a policy file to statements, or raises a PolicyError that names file, line, key and remedy.

Strict on purpose: an ignored key, or a rule that can never match, only seems to protect.
"""

import difflib
import tomllib
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, fields
from typing import Any, TypeVar

import msgspec

from toolgate.model.decision import Rate, Verdict
from toolgate.model.errors import PolicyError
from toolgate.model.glob import name_matches
from toolgate.model.place import ZONES
from toolgate.model.rule import Author, Redaction, RuleRow, WrittenRule
from toolgate.redaction.detectors import KINDS
from toolgate.rules.written_rules import compile_cached_pattern

from . import forms, tool_rows
from .limits import apply_tables, read_audit_settings, read_log_limits, read_undo_limits
from .line_numbers import find_line
from .statements import Example, FloorSetting, RuleSetting, Statements
from .strictness import SWITCHES
from .value_suggestions import suggest_values

Key = tuple[str | int, ...]
SHOW_RULE = "see: toolgate rules show {}"
RAISES_ONLY_REMEDY = "a project's file may only raise verdicts ([rules]), add rules ([[rule]]) and say what tools do \
([mcp], without `run`); say the rest in your own file"
MAX_LINE_LENGTH = 4096
MAX_PROJECT_EXAMPLES = 50  # each is judged once when the file is new


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """The names that a file may use: the rules of the table, the names of operations (empty: not known), the shipped profiles,
    and the options of a rule (a dataclass; None: it has none)."""

    table: Mapping[str, RuleRow]
    operations: Collection[str] = ()
    profiles: Collection[str] = ()
    options: Callable[[str], type | None] = lambda _rule: None


def parse_statements(data: bytes, author: Author, file: str, words: Vocabulary) -> Statements:
    return _FileParser(data, author, file, words).read_statements()


T = TypeVar("T")


class _FileParser:
    """Parses one file: every error needs its text and its name."""

    def __init__(self, data: bytes, author: Author, file: str, words: Vocabulary) -> None:
        self.author, self.file, self.words = author, file, words
        try:
            self.text = data.decode()
            self.check_line_lengths()
            self.table: dict[str, Any] = tomllib.loads(self.text)
        except UnicodeDecodeError as problem:
            raise PolicyError(file, "", f"not UTF-8 (byte {problem.start})", "save it as UTF-8") from None
        except tomllib.TOMLDecodeError as problem:
            what, _, where = str(problem).replace(" (at end of document)", "").partition(" (at line ")
            line = int(where.partition(",")[0]) if where[:1].isdigit() else None
            raise PolicyError(file, "", f"not TOML: {what}", "fix the syntax there", line) from None
        except (RecursionError, ValueError):
            raise PolicyError(file, "", "nested too deep, or a number too long", "write it plainer") from None

    def check_line_lengths(self) -> None:
        """The standard library's parser takes quadratic time over a key of many parts, and a key stays on its line."""
        for number, line in enumerate(self.text.split("\n"), 1):
            if len(line) > MAX_LINE_LENGTH:
                raise PolicyError(self.file, "", f"a line of more than {MAX_LINE_LENGTH} characters", "break it up", number)

    def build_error(self, key: Key, problem: str, remedy: str) -> PolicyError:
        return PolicyError(self.file, format_key(key), problem, remedy, find_line(self.text, key))

    def read_statements(self) -> Statements:
        self.check_tool_tables()
        for key, table, form in _iter_tables(self.table, self.author):
            self.check_table(key, table, form)
        rules, floors = self.read_section("rules", forms.Rule), self.read_section("floors", forms.Floor)
        projects = self.read_section("project", forms.Project)
        self.check_known_name(self.table.get("profile", ""), self.words.profiles, ("profile",), "profile")
        pairs = [
            self.read_written_rule(each, n)
            for n, each in enumerate(msgspec.convert(self.table.get("rule", []), list[forms.Written]))
        ]
        examples = tuple(example for _, some in pairs for example in some)
        if self.author == "project" and len(examples) > MAX_PROJECT_EXAMPLES:
            raise self.build_error(("rule",), f"more than {MAX_PROJECT_EXAMPLES} examples", "keep those that say most")
        return Statements(
            author=self.author,
            file=self.file,
            profile=self.table.get("profile", ""),
            switches={**read_switches(self.table), **read_audit_settings(self.table.get("audit"))},
            rules=apply_tables(self.read_rules(rules, ("rules",)), self.table),
            floors={rule: self.read_floor(rule, floor) for rule, floor in floors.items()},
            written=tuple(rule for rule, _ in pairs),
            examples=examples,
            projects={
                folder: self.read_rules(project_table.rules, ("project", folder, "rules"))
                for folder, project_table in projects.items()
            },
            users_may_lower=tuple(self.table.get("users_may_lower", ())),
            safe=self.read_folders("safe"),
            blocked=self.read_folders("blocked"),
            redaction=self.read_redaction(self.table.get("redaction", {})),
            tools=self.read_tools(),
            store=self.table.get("store", ""),
            checkpoint=self.table.get("audit", {}).get("checkpoint", ""),
            log_limits=read_log_limits(self.table.get("audit", {})),
            undo=read_undo_limits(self.table.get("undo")),
            wrappers={name: " ".join(options) for name, options in self.table.get("wrappers", {}).items()},
        )

    def check_tool_tables(self) -> None:
        """Detects the likeliest mistake: a row where the tools' names should be."""
        for server, section in _iter_named_tables(self.table.get("mcp")):
            for tool, tool_table in section.items():
                if not isinstance(tool_table, dict):
                    raise self.build_error(("mcp", server, tool), "not a tool's row", 'write tool = { delete = "path" }')

    def read_tools(self) -> dict[tuple[str, str], Mapping[str, str | tuple[str, ...]]]:
        found: dict[tuple[str, str], Mapping[str, str | tuple[str, ...]]] = {}
        for server, tools in self.table.get("mcp", {}).items():
            for tool, row in tools.items():
                for name, problem, remedy in tool_rows.iter_problems(server, tool, row, self.words.operations):
                    raise self.build_error(("mcp", server, tool, *([name] if name else [])), problem, remedy)
                found[server, tool] = tool_rows.freeze_row(row)
        if len(found) > tool_rows.MAX_ROWS:
            raise self.build_error(("mcp",), f"more than {tool_rows.MAX_ROWS} tools", "describe those that matter")
        return found

    def read_section(self, name: str, form: type[T]) -> dict[str, T]:
        return msgspec.convert(self.table.get(name, {}), dict[str, form])  # type: ignore[valid-type]

    def read_folders(self, name: str) -> tuple[str, ...]:
        """Reads folders of `[zones]`: absolute, or inside the home folder; a project's may be inside the project too."""
        found: list[str] = []
        for n, each in enumerate(self.table.get("zones", {}).get(name, ())):
            relative = not each.startswith(("/", "~/")) and each != "~"
            if "/../" in f"/{each}/" or not each.isprintable() or (relative and self.author != "project"):
                raise self.build_error(("zones", name, n), "neither absolute nor beneath ~", "write /the/folder or ~/the/folder")
            found.append(f"./{each.removeprefix('./')}" if relative else each)
        return tuple(found)

    def read_rules(self, rules: Mapping[str, forms.Rule], key: Key) -> dict[str, RuleSetting]:
        for rule, rule_table in rules.items():
            self.check_known_name(rule, self.words.table, (*key, rule), "rule")
            if rule_table.options:
                self.check_options(rule, rule_table.options, (*key, rule, "options"))
        return {rule: read_setting(rule_table) for rule, rule_table in rules.items()}

    def check_table(self, key: Key, table: dict[str, Any], form: type[msgspec.Struct]) -> None:
        """Checks one table against its form; the tables inside it were checked before."""
        for name in table:
            if name not in form.__struct_fields__:
                near = difflib.get_close_matches(name, form.__struct_fields__, 1)
                remedy = f"did you mean {near[0]}?" if near else f"known here: {', '.join(form.__struct_fields__)}"
                if self.author == "project" and not near:
                    remedy = RAISES_ONLY_REMEDY
                raise self.build_error((*key, name), "unknown key", remedy)
        try:
            msgspec.convert(table, form)
        except msgspec.ValidationError as problem:
            what, _, path = str(problem).partition(" - at `$")
            inner = tuple(part for part in path.rstrip("`").replace("[...]", "").split(".") if part)
            missing = what.partition("required field `")[2].rstrip("`")
            full = (*key, *inner, *([missing] if missing else []))
            told = "missing" if missing else what[0].lower() + what[1:].replace(" | null", "")
            raise self.build_error(full, told, suggest_values(full)) from None

    def check_known_name(self, name: str, names: Collection[str], key: Key, kind: str) -> None:
        if name and name not in names:
            near = difflib.get_close_matches(name, names, 1)
            listed_by = {"rule": "rules", "option": "rules show RULE"}.get(kind, "policy schema")
            remedy = f"did you mean {near[0]}?" if near else f"`toolgate {listed_by}` lists them"
            raise self.build_error(key, f"there is no such {kind}", remedy)

    def check_options(self, rule: str, payload: dict[str, Any], key: Key) -> None:
        kind = self.words.options(rule)
        if kind is None:
            raise self.build_error(key, "this rule has no options", "leave them out")
        for name in payload:
            self.check_known_name(name, [field.name for field in fields(kind)], (*key, name), "option")
        try:
            msgspec.convert(payload, kind)
        except msgspec.ValidationError as problem:
            what, _, path = str(problem).partition(" - at `$.")
            raise self.build_error((*key, path.rstrip("`")), what[0].lower() + what[1:], SHOW_RULE.format(rule)) from None

    def read_floor(self, rule: str, floor: forms.Floor) -> FloorSetting:
        key: Key = ("floors", rule)
        self.check_known_name(rule, self.words.table, key, "rule")
        sure, unsure = self.words.table[rule].floor
        lowered = FloorSetting(parse_verdict(floor.verdict), parse_verdict(floor.unsure or floor.verdict), floor.reason)
        lowered = FloorSetting(
            lowered.sure, min(lowered.unsure, unsure) if floor.unsure is None else lowered.unsure, floor.reason
        )
        if sure == Verdict.PASS and unsure == Verdict.PASS:
            raise self.build_error(key, "this rule has no floor", f'set it under [rules."{rule}"]')
        if lowered.sure >= sure and lowered.unsure >= unsure:
            raise self.build_error(key, "this does not lower the floor", f'raise it under [rules."{rule}"]')
        return lowered

    def read_written_rule(self, form: forms.Written, n: int) -> tuple[WrittenRule, tuple[Example, ...]]:
        key: Key = ("rule", n)
        conditions = {name: getattr(form.on, name) for name in form.on.__struct_fields__}
        self.check_conditions({name: value for name, value in conditions.items() if value}, key)
        for name, text in (("reason", form.reason), ("instead", form.instead)):
            if not text.isprintable():
                raise self.build_error((*key, name), "holds control characters or line breaks", "write one line of plain text")
        name = form.id if self.author != "project" or form.id.startswith("project.") else f"project.{form.id}"
        if name in self.words.table:
            raise self.build_error((*key, "id"), f"{name} is a rule of toolgate itself", "choose another id")
        unsure = min(parse_verdict(form.verdict), Verdict.ASK) if form.unsure is None else parse_verdict(form.unsure)
        rule = WrittenRule(
            id=name,
            verdict=parse_verdict(form.verdict),
            reason=form.reason,
            author=self.author,
            unsure=unsure,
            instead=form.instead,
            rate=read_rate(form.rate_limit),
            **conditions,
        )
        examples = [(text, True, "stops", i) for i, text in enumerate(form.stops)]
        examples += [(text, False, "leaves", i) for i, text in enumerate(form.leaves)]
        line = find_line(self.text, key)
        return rule, tuple(Example(rule, text, stops, format_key((*key, kind, i)), line) for text, stops, kind, i in examples)

    def check_conditions(self, conditions: Mapping[str, str], key: Key) -> None:
        """Raises an error for conditions that can never match."""
        on: Key = (*key, "on")
        if not conditions:
            raise self.build_error(
                on, "no condition: the rule would never match", f"give one of {', '.join(forms.On.__struct_fields__)}"
            )
        subjects = [name for name in ("operation", "path", "connect") if name in conditions]
        if len(subjects) > 1:
            problem = f"no effect has both {subjects[0]} and {subjects[1]}: the rule would never match"
            raise self.build_error(on, problem, "write two rules")
        operation = conditions.get("operation", "")
        if operation and self.words.operations and not any(name_matches(operation, each) for each in self.words.operations):
            near = difflib.get_close_matches(operation, self.words.operations, 1)
            remedy = f"did you mean {near[0]}?" if near else "`toolgate policy schema` lists them"
            raise self.build_error((*on, "operation"), "there is no such operation: the rule would never match", remedy)
        if not all(value.isprintable() for value in conditions.values()):
            raise self.build_error(on, "holds control characters", "write plain text")
        if conditions.get("path", "").count("**") > 4 or "../" in conditions.get("path", "") + "/":
            raise self.build_error((*on, "path"), "too many ** in it, or a .. in it", "name the folder itself")
        if conditions.get("zone", "") not in ("", *ZONES):
            raise self.build_error((*on, "zone"), "there is no such zone", f"one of {', '.join(ZONES)}")
        if "text" in conditions:
            self.check_pattern(conditions["text"], (*on, "text"))

    def read_redaction(self, section: Mapping[str, Any]) -> Redaction:
        patterns = tuple((each["kind"], each["match"]) for each in section.get("pattern", ()))
        for n, (kind, expression) in enumerate(patterns):
            if kind in KINDS:
                raise self.build_error(
                    ("redaction", "pattern", n, "kind"), f"{kind} is a kind of toolgate itself", "choose another name"
                )
            self.check_pattern(expression, ("redaction", "pattern", n, "match"))
        left_alone = section.get("exclude", {})
        return Redaction(
            personal=tuple(section["personal"]) or ("nothing",) if "personal" in section else (),
            patterns=patterns,
            values=tuple(each.lower() for each in left_alone.get("values", ())),
            domains=tuple(each.lower().lstrip("@") for each in left_alone.get("domains", ())),
            paths=tuple(left_alone.get("paths", ())),
        )

    def check_pattern(self, text: str, key: Key) -> None:
        try:
            compile_cached_pattern(text)
        except ValueError as problem:
            raise self.build_error(
                key, f"not a re2 expression: {problem}", "see https://github.com/google/re2/wiki/Syntax"
            ) from None
        except ImportError:
            raise self.build_error(
                key, "google-re2 is not installed", "pip install google-re2, or leave the expression out"
            ) from None


def parse_verdict(text: str) -> Verdict:
    return Verdict[text.upper()]


def read_setting(rule: forms.Rule) -> RuleSetting:
    verdict, unsure = (None if each is None else parse_verdict(each) for each in (rule.verdict, rule.unsure))
    return RuleSetting(verdict, unsure, rule.options, read_rate(rule.rate_limit))


def read_rate(limit: forms.RateLimit | None) -> Rate | None:
    return None if limit is None else (limit.calls, limit.seconds)


def read_switches(table: Mapping[str, Any]) -> dict[str, object]:
    switches = {name: table[name] for name in SWITCHES if name in table and not isinstance(table[name], Mapping)}
    return {name: parse_verdict(value) if name == "cap" else value for name, value in switches.items()}


def format_key(key: Key) -> str:
    """Returns a key as written in TOML: `rules."git.force-push".verdict`, `rule[2].on`."""
    text = ""
    for part in key:
        if isinstance(part, int):
            text += f"[{part + 1}]"
        else:
            text += ("." if text else "") + (part if part.replace("_", "").replace("-", "").isalnum() else _quote_part(part))
    return text


def _quote_part(part: str) -> str:
    shown = "".join(char if char.isprintable() else "?" for char in part[:60])
    return f'"{shown}"'


def _iter_tables(table: dict[str, Any], author: Author) -> Iterator[tuple[Key, dict[str, Any], type[msgspec.Struct]]]:
    """Yields every table with a form of its own, the innermost first, so that an error names the key itself."""
    rule = forms.RaisedRule if author == "project" else forms.Rule
    for each, entry in _iter_named_tables(table.get("rules")):
        yield ("rules", each), entry, rule
    if author != "project":
        for each, entry in _iter_named_tables(table.get("floors")):
            yield ("floors", each), entry, forms.Floor
    if author == "user":
        for folder, section in _iter_named_tables(table.get("project")):
            for each, entry in _iter_named_tables(section.get("rules")):
                yield ("project", folder, "rules", each), entry, forms.Rule
            yield ("project", folder), section, forms.Project
    if isinstance(table.get("zones"), dict):
        yield ("zones",), table["zones"], forms.BlockedZones if author == "project" else forms.Zones
    if author != "project":
        yield from (((name,), entry, form) for name, form in forms.SETTING_TABLES for entry in _iter_table(table, name))
    yield from _iter_redaction_tables(table.get("redaction"), author)
    yield from _iter_server_tables(table.get("mcp"), author)
    rules = table.get("rule")
    for n, entry in enumerate(rules if isinstance(rules, list) else []):
        if isinstance(entry, dict):
            if isinstance(entry.get("on"), dict):
                yield ("rule", n, "on"), entry["on"], forms.On
            yield ("rule", n), entry, forms.Written
    yield (), table, forms.FILES[author]


def _iter_redaction_tables(section: object, author: Author) -> Iterator[tuple[Key, dict[str, Any], type[msgspec.Struct]]]:
    if not isinstance(section, dict):
        return
    patterns = section.get("pattern")
    for n, pattern in enumerate(patterns if isinstance(patterns, list) else []):
        if isinstance(pattern, dict):
            yield ("redaction", "pattern", n), pattern, forms.SecretPattern
    if author != "project" and isinstance(section.get("exclude"), dict):
        yield ("redaction", "exclude"), section["exclude"], forms.LeftAlone
    yield ("redaction",), section, forms.ProjectRedaction if author == "project" else forms.Redaction


def _iter_server_tables(said: object, author: Author) -> Iterator[tuple[Key, dict[str, Any], type[msgspec.Struct]]]:
    for server, section in _iter_named_tables(said):
        for tool, row in _iter_named_tables(section):
            yield ("mcp", server, tool), row, forms.ProjectTool if author == "project" else forms.Tool


def _iter_table(table: Mapping[str, Any], name: str) -> Iterator[dict[str, Any]]:
    if isinstance(table.get(name), dict):
        yield table[name]


def _iter_named_tables(value: object) -> Iterator[tuple[str, dict[str, Any]]]:
    for name, each in value.items() if isinstance(value, dict) else ():
        if isinstance(each, dict):
            yield name, each

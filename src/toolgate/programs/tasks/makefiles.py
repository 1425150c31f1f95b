"""Makefiles: the steps that a target runs, with their lines."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from toolgate.model.word import Hole, Word, join_words

from .make_conditions import Conditions
from .make_expansion import Expansion, Rule
from .steps import FileFinder, Step, define_variables, unread_step

# ---- Makefile

_RULE = re.compile(r"^([^\s#:=][^#:=]*?)\s*::?(?!=)\s*([^#=]*?)(?:;(.*))?(?:\s#.*)?$")
_SETTING = re.compile(
    r"^\s*(?:(?:export|override|private|unexport)\s+)*(?:[^\s:=#]+\s*:\s+)?([\w.-]+)\s*(\?|\+|!|:{1,3})?=\s*(.*)$"
)
_OWN_SETTING = re.compile(
    r"^([^\s:=#][^:=#]*?)\s*:\s*((?:(?:export|override|private)\s+)*)([\w.-]+)\s*(\?|\+|!|:{1,3})?=\s*(.*)$"
)
"""Matches a variable of single targets: `deploy: export STAGE = prod`."""
_match_define = re.compile(r"\s*(?:override\s+|export\s+)*define\s+([\w.-]+)\s*[:+?!]*=?\s*$").match
NO_RULE = Rule()
_MAX_FILES, _MAX_TARGETS, _MAX_EVALUATIONS = 500, 2_000, 500
_evaluates_text = re.compile(r"\$[({]eval\s").search
_replace_wildcards = re.compile(r"\$[({]wildcard\s+([^(){}]*)[)}]").sub
"""make's function that lists the matching files, as `include` does by itself."""
_named_variables = re.compile(r"\$[({]([^\s(){}$]+)").findall
_match_export = re.compile(r"\s*(?:override\s+)?export\b([^=:]*)").match
_INCLUDE = re.compile(r"^[-s]?include\s+(.+)")


@dataclass(slots=True)
class _Target:
    needs: list[str] = field(default_factory=list)
    lines: list[tuple[str, int, str]] = field(default_factory=list)
    settings: dict[str, str] = field(default_factory=dict)
    exported: set[str] = field(default_factory=set)


@dataclass(slots=True)
class Makefile:
    """`incomplete`: it reads a file that is not known here or evaluates text, where a missing variable may be set. `parsed`: what
    runs while it is read: each text with its file and line. `overrides`: the variables of the command line. `find`: brings the
    files it includes. `left_out`: it includes more files than are read here."""

    targets: dict[str, _Target] = field(default_factory=dict)
    settings: dict[str, str] = field(default_factory=dict)
    find: FileFinder = lambda _name: ()
    overrides: Mapping[str, Word] = field(default_factory=dict)
    incomplete: bool = False
    exported: set[str] = field(default_factory=set)
    uncertain: set[str] = field(default_factory=set)
    done: set[str] = field(default_factory=set)
    parsed: list[Step] = field(default_factory=list)
    left_out: bool = False
    evaluations: int = 0

    @classmethod
    def parse(
        cls,
        text: str,
        find: FileFinder,
        overrides: Mapping[str, Word],
        read_first: Sequence[str] = (),
        *,
        incomplete: bool = False,
    ) -> "Makefile":
        """Parses a makefile. `read_first`: the names of files that make reads before it; `incomplete`: what is set may be set
        elsewhere."""
        found = cls(find=find, overrides=overrides, incomplete=incomplete)
        for names in read_first:
            found._include_files(names)
        found.add_file(text, "")
        return found

    def add_file(self, text: str, file: str) -> None:
        """Adds the content of a file, and of the files it includes."""
        self.incomplete = self.incomplete or _evaluates_text(text) is not None
        current = [_Target()]
        defined: str | None = None
        for number, line, is_certain in _lines_that_count(text, self._decide):
            if defined is not None:
                if _match_endef(line):
                    defined = None
                else:
                    self.settings[defined] = f"{self.settings[defined]}\n{line}".lstrip("\n")
            elif definition := _match_define(line):
                defined = definition[1]
                self.settings[defined] = ""
                self.uncertain.update(() if is_certain else (defined,))
            elif line.startswith(self.settings.get(".RECIPEPREFIX", "\t")[:1] or "\t"):
                for target in current:
                    target.lines.append((file, number, line[1:].strip()))
            elif self._read_setting(line, file, number, is_certain=is_certain):
                continue
            elif export := _match_export(line):
                self.exported.update(export[1].split() or self.settings)
            elif rule := _RULE.match(line):
                current = self._add_rule(rule, file, number)
            elif included := _INCLUDE.match(line):
                self._include_files(included[1])
            elif "$(" in line or "${" in line:
                self._run_while_reading(line, file, number)

    def _decide(self, text: str) -> str | None:
        """Returns the value of a text in a condition; None if the environment or a file that is not known may set it."""
        named = set(_named_variables(text)) - self.overrides.keys()
        if named & self.uncertain or (named and self.incomplete):
            return None
        value = self._build_expansion().expand(text).text
        return None if value is None or "$" in value else value

    def _add_setting(self, name: str, how: str, value: str, file: str, number: int, *, is_certain: bool) -> None:
        before = self.settings.get(name, "")
        if not is_certain or (how == "?" and not before):
            self.uncertain.add(name)
        value = self._read_value(how, value, file, number)
        self.settings[name] = f"{before} {value}".strip() if how == "+" else before if how == "?" and before else value

    def _read_setting(self, line: str, file: str, number: int, *, is_certain: bool) -> bool:
        """Adds the variable that a line sets. Returns whether it sets one."""
        if self._add_own_setting(line, file, number):
            return True
        setting = _SETTING.match(line)
        if setting is not None:
            is_global = ":" not in line[: setting.start(1)]  # a target's own variable is not there while the file is read
            is_known = is_certain and is_global
            self._add_setting(setting[1], setting[2] or "", setting[3].strip(), file, number, is_certain=is_known)
            if _match_export(line):
                self.exported.add(setting[1])
                self._run_while_reading(setting[3], file, number)  # for the environment of each recipe
        return setting is not None

    def _add_own_setting(self, line: str, file: str, number: int) -> bool:
        """Adds a variable to the targets that alone have it. Returns whether it is exported, too: then nothing else has it."""
        found = _OWN_SETTING.match(line)
        if found is None:
            return False
        names, modifiers, name, how, value = found.groups()
        is_exported = "export" in modifiers
        if is_exported:
            value = self._read_value(how if how == "!" else ":", value, file, number)
        for each in (self._build_expansion().expand(names).text or names).split():
            target = self.targets.setdefault(each, _Target())
            before = target.settings.get(name, self.settings.get(name, ""))
            target.settings[name] = f"{before} {value}".strip() if how == "+" else before if how == "?" and before else value
            target.exported.update((name,) if is_exported else ())
        return is_exported

    def _read_value(self, how: str, value: str, file: str, number: int) -> str:
        """Returns the value that a variable gets, and notes what runs for it while the file is read."""
        if how == "!":
            self.parsed.append(Step(self._build_expansion().expand(value), number, file))
            return f"$(shell {value})"
        if ":" in how:
            self._run_while_reading(value, file, number)
        return value

    def _add_rule(self, rule: "re.Match[str]", file: str, number: int) -> list[_Target]:
        names, needs, recipe = rule.groups()
        self._run_while_reading(f"{names} {needs}", file, number)
        known_names = self._build_expansion().expand(names).text or names
        current = [self.targets.setdefault(name, _Target()) for name in known_names.split()]
        for target in current:
            target.needs += (self._build_expansion().expand(needs.replace("|", " ")).text or needs).split()
            if recipe:
                target.lines.append((file, number, recipe.strip()))
        return current

    def _include_files(self, names: str) -> None:
        text = self._build_expansion().expand(_replace_wildcards(r"\1", names.partition("#")[0])).text
        self.incomplete = self.incomplete or text is None
        for name in (text or "").split():
            if name in self.done:
                continue
            self.left_out = self.left_out or len(self.done) >= _MAX_FILES
            if not self.left_out:
                self.done.add(name)
                found = list(self.find(name))
                self.incomplete = self.incomplete or not found
                for other in found:
                    self.add_file(other, name)

    def _evaluate(self, text: Word) -> None:
        """Adds the text of `$(eval)`, if it is known."""
        self.evaluations += 1
        self.left_out = self.left_out or self.evaluations > _MAX_EVALUATIONS
        if text.text is not None and not self.left_out:
            self.add_file(text.text, "")

    def _run_while_reading(self, text: str, file: str, number: int) -> None:
        """Records the commands of `$(shell ...)` in text that make expands while it reads the file."""
        if "$(" in text or "${" in text:
            expansion = self._build_expansion()
            expansion.expand(text)
            self.parsed += [Step(command, number, file) for command in expansion.commands]

    def _build_expansion(self, rule: Rule = NO_RULE) -> Expansion:
        own = self.targets[rule.target].settings if rule.target in self.targets else {}
        return Expansion(
            {**self.settings, **own} if own else self.settings, self.overrides, self._evaluate, rule, self.incomplete
        )

    def default_target(self) -> str | None:
        return next((name for name in self.targets if not name.startswith(".") and "%" not in name), None)

    def _find_rule(self, name: str) -> tuple[_Target, str | None] | None:
        """Returns the rule of a target; for a pattern rule, with the stem that `%` matched."""
        if (target := self.targets.get(name)) is not None and (target.lines or target.needs or "%" not in "".join(self.targets)):
            return target, None
        for pattern, target in self.targets.items():
            before, percent, after = pattern.partition("%")
            if percent and len(name) > len(before) + len(after) and name.startswith(before) and name.endswith(after):
                return target, name[len(before) : len(name) - len(after)]
        return None

    def list_steps(self, targets: list[str], is_run: Callable[[str], bool] = lambda _line: True) -> list[Step]:
        """Returns what runs while the file is read, then the recipes of these targets and their dependencies, in order.
        `is_run`: selects the lines of these recipes that run."""
        remade = self._list_recipes(sorted(self.done), lambda _line: True)
        steps = [*self._list_own_shell(), *self.parsed, *remade, *self._list_recipes(targets, is_run)]
        return [*steps, unread_step(f"it includes more than {_MAX_FILES} other files")] if self.left_out else steps

    def _list_recipes(self, targets: list[str], is_run: Callable[[str], bool]) -> list[Step]:
        steps: list[Step] = []
        seen: set[str] = set()
        waiting = list(reversed(targets))
        while waiting and len(seen) < _MAX_TARGETS:
            name = waiting[-1]
            found = self._find_rule(name)
            if name in seen or found is None:
                waiting.pop()
                if name not in seen or found is None:
                    continue
            seen.add(name)
            target, stem = found
            needs = [need.replace("%", stem) if stem is not None else need for need in target.needs]
            for need in needs:
                self._hand_down(target, need)
            if unmet := [need for need in needs if need not in seen and self._find_rule(need) is not None]:
                waiting += reversed(unmet)
                continue
            if waiting and waiting[-1] == name:
                waiting.pop()
            steps += self._steps_of_recipe(target, Rule(name, tuple(needs), stem), is_run)
            if stem is None:
                target.lines = []
        if waiting:
            steps.append(unread_step(f"more than {_MAX_TARGETS:,} of its targets are needed"))
        return steps

    def _hand_down(self, target: _Target, need: str) -> None:
        """Gives a target's own variables to one that it needs."""
        if (needed := self.targets.get(need)) is not None and needed is not target:
            needed.settings = {**target.settings, **needed.settings}
            needed.exported |= target.exported

    def _steps_of_recipe(self, target: _Target, rule: Rule, is_run: Callable[[str], bool]) -> list[Step]:
        """Returns the steps of a recipe, one shell per line; with `.ONESHELL`, one shell for all of them."""
        steps = [
            Step(drop_unknown_start(self._expand_line(recipe, rule)), line, file, self._recipe_language())
            for file, line, recipe in target.lines
            if is_run(recipe)
        ]
        if ".ONESHELL" not in self.targets or len(steps) < 2:
            return steps
        return [steps[0]._replace(text=join_words((step.text for step in steps), "\n"))]

    def _expand_line(self, recipe: str, rule: Rule) -> Word:
        """Expands a line for the shell; a multi-line variable gives several lines, each with its own prefix."""
        text = self._build_expansion(rule).expand(recipe.lstrip(_RECIPE_PREFIX))
        text = text.drop_first(len(text.head) - len(text.head.lstrip(_RECIPE_PREFIX)))
        own = self.targets[rule.target].exported if rule.target in self.targets else ()
        if self.exported or self.overrides or own:
            expand = self._build_expansion(rule).expand
            exported = {name: expand(f"$({name})") for name in (*self.exported, *self.overrides, *own)}
            text = define_variables(drop_unknown_start(text), exported)
        if not any(isinstance(part, str) and "\n" in part for part in text.parts):
            return text
        parts = (_strip_recipe_prefixes("\n", part) if isinstance(part, str) else part for part in text.parts)
        return Word(tuple(parts), text.splits, text.src)

    def _list_own_shell(self) -> list[Step]:
        """Returns a step for a shell that is a file of the project: it runs for each line of a recipe."""
        shell = (self.settings.get("SHELL") or "").split()[:1]
        return [Step(self._build_expansion().expand(name), 1) for name in shell if name.startswith((".", "$(CURDIR)"))]

    def _recipe_language(self) -> str:
        """Returns the language of the recipes: SHELL may be another interpreter."""
        program = (self._build_expansion().expand("$(SHELL)").tail or "sh").split()[-1:] or ["sh"]
        return next((language for language in _INTERPRETERS if language in program[0].rpartition("/")[2]), "shell")


_RECIPE_PREFIX = "@-+ \t"
_match_exempt_line = re.compile(r"[@\- \t]*\+|.*\$[({]MAKE[)}]", re.DOTALL).match


def is_exempt_from_dry_run(line: str) -> bool:
    """Returns whether make runs a line of a recipe even with `--dry-run`, `--touch` or `--question`."""
    return _match_exempt_line(line) is not None


_INTERPRETERS = ("python", "perl", "ruby", "node")
_strip_recipe_prefixes = re.compile(r"\n[@\-+ \t]+").sub
_match_endef = re.compile(r"\s*endef\b").match


def _lines_that_count(text: str, decide: Callable[[str], str | None]) -> Iterator[tuple[int, str, bool]]:
    """Yields the lines but those that a condition leaves out, and conditions themselves, each with whether it certainly counts."""
    conditions, is_defining = Conditions(decide), False
    for number, line in _logical_lines(text):
        if is_defining or not conditions.read(line):
            is_defining = not _match_endef(line) if is_defining else _match_define(line) is not None
            yield number, line, conditions.is_certain


def _logical_lines(text: str) -> Iterator[tuple[int, str]]:
    """Yields lines with their continuations, each with the number of its first line."""
    start, held = 1, ""
    for number, line in enumerate(text.split("\n"), 1):
        if not held:
            start = number
        if line.endswith("\\"):
            held += line[:-1] + " "
            continue
        yield start, held + (line.lstrip() if held else line)
        held = ""
    if held:
        yield start, held


def drop_unknown_start(text: Word) -> Word:
    """Drops unknown parts at the start, as in `$(Q)rm x`: the variable may be empty."""
    parts = list(text.parts)
    while parts and isinstance(parts[0], Hole) and parts[0].unread is None:
        parts.pop(0)
    return Word(tuple(parts), src=text.src)

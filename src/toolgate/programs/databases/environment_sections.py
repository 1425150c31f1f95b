"""Settings with a section for each environment, of which an option or a variable selects one: `knex --env development`."""

import re
from collections.abc import Iterator

from toolgate.locality import is_in_production, leads_to_local_databases
from toolgate.model.effect import Operation, ReportedEffect
from toolgate.model.execution_context import ExecutionContext
from toolgate.model.word import Word, known_word
from toolgate.programs.argv.options import Flags
from toolgate.programs.argv.program import Program

_FILES = (
    *("knexfile.js", "knexfile.ts", "knexfile.cjs", "knexfile.mjs"),
    *("config/config.json", "config/config.js", "config/database.js", "database.json"),
)
_OPTIONS = Flags("--env= --knexfile= --config= --url= --connection= --client= --cwd= --migrations-path=")
_DEFAULT = "development"
_MAX_SECTION = 4_000


def select_settings(program: Program) -> Program:
    """Returns a program whose operations are on this machine if the section of its environment leads there."""

    def report_effects(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
        is_local = _has_local_section(argv, context)
        for effect in program.effects_of_call(argv, context):
            if is_local and isinstance(effect, Operation):
                flags = {**dict(effect.flags), "local": True}
                yield effect._replace(flags=tuple(flags.items()))
            else:
                yield effect

    return Program(does=report_effects)


def _has_local_section(argv: tuple[Word, ...], context: ExecutionContext) -> bool:
    options = _OPTIONS.parse(argv)
    if any(options.values_of("--url", "--connection", "--cwd")):
        return False
    environments = [*options.values_of("--env"), *context.get_variables("NODE_ENV")] or [known_word(_DEFAULT)]
    files = list(options.values_of("--knexfile", "--config")) or [known_word(name) for name in _FILES]
    name = environments[0].text
    if name is None or is_in_production(name):
        return False
    found = [_find_section(text.text or "", name) for file in files for text in context.read_alternatives(file)]
    return bool(found) and all(leads_to_local_databases(section, context) for section in found)


def _find_section(text: str, name: str) -> str:
    """Returns the object under a name in JSON or JavaScript; empty if there is none."""
    found = re.search(rf"(?<![\w.]){re.escape(name)}[\"']?\s*:\s*\{{", text)
    if found is None:
        return ""
    depth = 1
    for n, char in enumerate(text[found.end() : found.end() + _MAX_SECTION]):
        depth += {"{": 1, "}": -1}.get(char, 0)
        if not depth:
            return text[found.end() : found.end() + n]
    return ""

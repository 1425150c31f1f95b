"""The database that a framework takes from the project's settings, and not from its calls: Prisma's schema, and the environment
that a variable or a file names."""

from __future__ import annotations

import re
from collections.abc import Callable

from toolgate.environment_files import read_assignments
from toolgate.model.execution_context import ExecutionContext
from toolgate.model.word import Word, known_word

from .shared_state import Arguments
from .values import text_of

_SCHEMAS = ("prisma/schema.prisma", "schema.prisma", "prisma/schema/schema.prisma")
_ENVIRONMENT_FILES = (".env", "prisma/.env")
_URL = re.compile(r"^\s*(?:directUrl|url)\s*=\s*(?:env\(\s*\"(?P<variable>\w+)\"\s*\)|\"(?P<url>[^\"]*)\")", re.MULTILINE)
_CLIENT = "PrismaClient"
_ALEMBIC = "alembic.config.Config"
_ALEMBIC_URL = re.compile(r"^sqlalchemy\.url\s*=\s*(?!driver://)(\S+)", re.MULTILINE)


def find_project_address(
    name: str | None, arguments: Arguments, list_own: Callable[[], dict[str, Word]], context: ExecutionContext
) -> Word | None:
    """Returns the address of the database that a client opens by the project's settings; None for another call, or if it is not
    known. `list_own`: returns the variables that the code itself has set or loaded."""
    if name == _ALEMBIC:
        return _find_alembic_address(arguments, context)
    return _find_prisma_address(list_own(), context) if name is not None and name.rpartition(".")[2] == _CLIENT else None


def _find_alembic_address(arguments: Arguments, context: ExecutionContext) -> Word | None:
    """Returns the address in the file that `alembic.config.Config("alembic.ini")` reads."""
    file = next(iter(arguments.all_values()), None)
    path = known_word((text_of(file) if file is not None else None) or "alembic.ini")
    found = [_ALEMBIC_URL.search(text.text or "") for text in context.read_alternatives(path)]
    return next((known_word(match[1]) for match in found if match is not None), None)


def _find_prisma_address(own: dict[str, Word], context: ExecutionContext) -> Word | None:
    schemas = [text.text or "" for file in _SCHEMAS for text in context.read_alternatives(known_word(file))]
    matches = [match for text in schemas for match in _URL.finditer(text)]
    for url, name in [(match["url"], match["variable"] or "") for match in matches] or [("", _USUAL_VARIABLE)]:
        if url:
            return known_word(url)
        values = (own[name],) if name in own else context.get_variables(name)
        if values:
            return values[0]
        loaded = read_assignments(map(known_word, _ENVIRONMENT_FILES), context).get(name)
        if loaded is not None:
            return loaded
    return None


_USUAL_VARIABLE = "DATABASE_URL"
"""The variable of Prisma's own template, where the schema cannot be read."""

"""Code for MongoDB's shells: calls that drop or empty something, outside of strings and comments."""

import re
from collections.abc import Collection, Iterator

from toolgate.locality import is_local_database, is_remote_database, names_production
from toolgate.model.effect import Carrier, Interpret, Opaque, Operation, PrintedOutput, ReportedEffect
from toolgate.model.execution_context import ExecutionContext
from toolgate.model.word import known_word
from toolgate.row_conditions import Scalar, holds_for_most

_STRINGS_AND_COMMENTS = re.compile(r"""//[^\n]*|/\*.*?\*/|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'""", re.DOTALL)
_COMPUTED_CODE = re.compile(r"\b(?:eval|Function|atob)\s*\(|\bdb\s*(?:\.\w+\s*)?\[[^\]]*\+[^\]]*\]\s*\(")
_DROP_CALLS = re.compile(r"\b(dropDatabase|dropAllUsers|dropUser|drop)\s*\(|\bdropDatabase\s*:")
_DELETE_CALLS = re.compile(
    r"\.\s*(deleteMany|remove|updateMany)\s*\(\s*(?:\{\s*\}\s*[,)]|\))|\bdelete(?:Many|One)\s*:\s*\{\s*filter\s*:\s*\{\s*\}"
)
_CONDITIONAL_CALLS = re.compile(
    r"\.\s*(?:deleteMany|remove|updateMany)\s*\(\s*\{\s*[\"']?(?P<field>[\w.]+)[\"']?\s*:\s*\{\s*[\"']?\$(?P<operator>\w+)[\"']?\s*:"
    r"\s*(?P<value>[^{},]{1,60}?)\s*\}\s*,?\s*\}"
)
"""Deletions with a condition on one field: `deleteMany({_id: {$ne: null}})`."""
_FILTERED_CALLS = re.compile(r"\.\s*(deleteMany|remove|updateMany)\s*\(\s*\{\s*(?P<filter>[^;]*)")
_DELETING = ("deleteMany", "remove")
_NAMES_DOCUMENTS = re.compile(r"[\"']?_id[\"']?\s*:")
"""Matches a filter that names the documents that it means, not a condition that any number may meet."""
_REPLACING_STAGE = re.compile(r"\.\s*aggregate\s*\([^;]*\{\s*[\"']?\$out[\"']?\s*:", re.DOTALL)
_OPERATORS = {"ne": "!=", "gt": ">", "gte": ">=", "lt": "<", "lte": "<=", "regex": "like", "exists": "!="}
_SHUTS_DOWN = re.compile(r"\bshutdownServer\s*\(|\{\s*shutdown\s*:|\brs\s*\.\s*(?:remove|stepDown)\s*\(")
_SHELL_CALLS = re.compile(r"\bexec(?:Sync)?\s*\(\s*(?:\"([^\"]*)\"|'([^']*)')")


def read(interpreted: Interpret, text: str, context: ExecutionContext) -> Iterator[ReportedEffect]:
    code = _STRINGS_AND_COMMENTS.sub('""', text)
    database, host = (*interpreted.args, None, None)[:2]
    moves_on = re.search(r"getSiblingDB|connect\(|new Mongo\(|^use ", code, re.MULTILINE) is not None
    local = not moves_on and is_local_database(database, host, context)
    flags = (("disposable", False), ("local", local))
    for match in _DROP_CALLS.finditer(code):
        what = "a database" if "atabase" in match[0] else "a collection or user"
        yield Operation("database.drop", context.origin, known_word(what), flags)
    for match in _DELETE_CALLS.finditer(code):
        yield Operation("database.delete", context.origin, known_word(f"every document ({match[1] or 'deleteMany'})"), flags)
    if _REPLACING_STAGE.search(text):
        yield Operation("database.delete", context.origin, known_word("a collection, which a result replaces"), flags)
    for match in _CONDITIONAL_CALLS.finditer(text):
        value = _parse_value(match["value"], match["operator"])
        if holds_for_most(match["field"].replace("_id", "id"), _OPERATORS.get(match["operator"], ""), value):
            yield Operation("database.delete", context.origin, known_word("nearly every document"), flags)
    if not moves_on and is_remote_database(database, host, context):
        is_production = names_production(database) or names_production(host)
        yield from _find_filtered_calls(text, (*_DELETING, "updateMany") if is_production else _DELETING, context)
    if _COMPUTED_CODE.search(code):
        yield Opaque("mongosh runs code that it computes", context.origin)
    if _SHUTS_DOWN.search(code):
        yield Operation("service.control", context.origin, known_word("mongod"), (("stop", True), ("user", False)))
    for match in _SHELL_CALLS.finditer(text):
        yield Interpret("shell", known_word(match[1] or match[2] or ""), context.origin, via=Carrier("mongosh"))
    yield PrintedOutput(context.unknown_output("mongosh"))


def _find_filtered_calls(text: str, methods: Collection[str], context: ExecutionContext) -> Iterator[ReportedEffect]:
    """Yields changes of the documents that meet a condition."""
    for match in _FILTERED_CALLS.finditer(text):
        if match[1] in methods and not match["filter"].startswith("}") and not _NAMES_DOCUMENTS.search(match["filter"]):
            flags = (("disposable", False), ("local", False), ("partial", True))
            yield Operation("database.delete", context.origin, known_word(f"documents ({match[1]})"), flags)


def _parse_value(text: str, operator: str) -> Scalar:
    """Returns the value in a condition. `$exists: true` excludes only null."""
    if text == "null" or (operator == "exists" and text in ("true", "1")):
        return None
    if re.fullmatch(r"-?\d{1,12}", text):
        return int(text)
    found = re.search(r"[\"'/](.*)[\"'/]", text)
    return found[1] if found is not None else "?"

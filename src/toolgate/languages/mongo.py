"""Code for MongoDB's shells: calls that drop or empty something, outside of strings and comments."""

import re
from collections.abc import Iterator

from toolgate.locality import is_local_database
from toolgate.model.effect import Interpret, Opaque, Operation, Prints, Reported
from toolgate.model.seen import Seen
from toolgate.model.word import known

_NO_CODE = re.compile(r"""//[^\n]*|/\*.*?\*/|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'""", re.DOTALL)
_COMPUTES = re.compile(r"\b(?:eval|Function|atob)\s*\(|\bdb\s*(?:\.\w+\s*)?\[[^\]]*\+[^\]]*\]\s*\(")
_DROPS = re.compile(r"\b(dropDatabase|dropAllUsers|dropUser|drop)\s*\(|\bdropDatabase\s*:")
_EMPTIES = re.compile(
    r"\.\s*(deleteMany|remove|updateMany)\s*\(\s*(?:\{\s*\}\s*[,)]|\))|\bdelete(?:Many|One)\s*:\s*\{\s*filter\s*:\s*\{\s*\}"
)
_SHUTS_DOWN = re.compile(r"\bshutdownServer\s*\(|\{\s*shutdown\s*:|\brs\s*\.\s*(?:remove|stepDown)\s*\(")
_RUNS = re.compile(r"\bexec(?:Sync)?\s*\(\s*(?:\"([^\"]*)\"|'([^']*)')")


def read(given: Interpret, text: str, seen: Seen) -> Iterator[Reported]:
    code = _NO_CODE.sub('""', text)
    database, host = (*given.args, None, None)[:2]
    moves_on = re.search(r"getSiblingDB|connect\(|new Mongo\(|^use ", code, re.MULTILINE) is not None
    local = not moves_on and is_local_database(database, host, seen)
    flags = (("disposable", False), ("local", local))
    for match in _DROPS.finditer(code):
        what = "a database" if "atabase" in match[0] else "a collection or user"
        yield Operation("database.drop", seen.origin, known(what), flags)
    for match in _EMPTIES.finditer(code):
        yield Operation("database.delete", seen.origin, known(f"every document ({match[1] or 'deleteMany'})"), flags)
    if _COMPUTES.search(code):
        yield Opaque("mongosh runs code that it computes", seen.origin)
    if _SHUTS_DOWN.search(code):
        yield Operation("service.control", seen.origin, known("mongod"), (("stop", True), ("user", False)))
    for match in _RUNS.finditer(text):
        yield Interpret("shell", known(match[1] or match[2] or ""), seen.origin, via="mongosh")
    yield Prints(seen.output("mongosh"))

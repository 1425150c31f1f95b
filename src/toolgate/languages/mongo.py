"""What MongoDB's shells are given: the calls that drop or empty something, wherever they stand outside strings and comments."""

import re
from collections.abc import Iterator

from toolgate.model.effect import Interpret, Operation, Prints, Reported
from toolgate.model.seen import Seen
from toolgate.model.word import known

_NO_CODE = re.compile(r"""//[^\n]*|/\*.*?\*/|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'""", re.DOTALL)
_DROPS = re.compile(r"\b(dropDatabase|dropAllUsers|dropUser|drop)\s*\(|\bdropDatabase\s*:")
_EMPTIES = re.compile(r"\.\s*(deleteMany|remove|updateMany)\s*\(\s*(?:\{\s*\}\s*[,)]|\))")
_SHUTS_DOWN = re.compile(r"\bshutdownServer\s*\(|\{\s*shutdown\s*:|\brs\s*\.\s*(?:remove|stepDown)\s*\(")
_RUNS = re.compile(r"\bexec(?:Sync)?\s*\(\s*(?:\"([^\"]*)\"|'([^']*)')")


def read(_code: Interpret, text: str, seen: Seen) -> Iterator[Reported]:
    code = _NO_CODE.sub('""', text)
    for match in _DROPS.finditer(code):
        what = "a database" if "atabase" in match[0] else "a collection or user"
        yield Operation("database.drop", seen.origin, known(what), (("disposable", False),))
    for match in _EMPTIES.finditer(code):
        yield Operation("database.delete", seen.origin, known(f"every document ({match[1]})"), (("disposable", False),))
    if _SHUTS_DOWN.search(code):
        yield Operation("service.control", seen.origin, known("mongod"), (("stop", True), ("user", False)))
    for match in _RUNS.finditer(text):
        yield Interpret("shell", known(match[1] or match[2] or ""), seen.origin, via="mongosh")
    yield Prints(seen.output("mongosh"))

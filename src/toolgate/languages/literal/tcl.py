"""Tcl's words with their variables, joins and loops written out: `[file join $env(HOME) $d]` becomes `"/home/dev/x"`."""

import re

_WORD = r"\"(?:[^\"\\\n]|\\.)*\"|\{[^{}\n]*\}|[^\s\[\]{}\";$]+"
_HOME = re.compile(r"\$(?:::)?(?:env\(HOME\)|\{(?:::)?env\(HOME\)\})|\[file\s+home\]|(?<![^\s\"])~(?=[/\s\"\]])")
_JOIN = re.compile(rf"\[\s*file\s+(?:join|normalize|nativename|native)\s+((?:{_WORD})(?:\s+(?:{_WORD}))*)\s*\]")
_LIST = re.compile(rf"\[\s*list\s+((?:{_WORD})(?:\s+(?:{_WORD}))*)\s*\]")
_SET = re.compile(rf"(?<![\w$])(?:set|variable)\s+(\w+)\s+({_WORD})(?=\s*(?:[;\n}}]|$))")
_LOOP = re.compile(r"(?<![\w$])foreach\s+(\w+)\s+(\{[^{}]*\}|\"[^\"\n]*\")\s*(?=\{)")
_BRACE = re.compile(r"\\.|[{}]", re.DOTALL)
_FILES = re.compile(r"\b(file\s+(?:delete|copy|rename|mkdir)|open|source)(\s[^\n;\[\]]*)")
"""Calls whose arguments are files."""
_BARE_WORD = re.compile(r"(\"[^\"\n]*\")|(?<=\s)([^-\s\"{}$][^\s\"{}$]*)(?!\S)")
_EXEC = re.compile(r"\bexec\s[^\n;]*")
_ROUNDS = 6
_LONGEST = 40_000  # characters


def write_out_tcl(text: str, home: str) -> str:
    """Returns Tcl code in which known paths are quoted words. Code that is too long is returned unchanged."""
    if len(text) > _LONGEST:
        return text
    text = _HOME.sub(lambda _: home, text)
    for _ in range(_ROUNDS):
        before = text
        text = _unroll_loops(_write_constants(text))
        if text == before or len(text) > 2 * _LONGEST:
            break
    text = _EXEC.sub(lambda call: re.sub(r"\{([^{}']*)\}", r"'\1'", call[0].replace("{*}", "")), text)
    return _FILES.sub(_quote_words, text)


def _write_constants(text: str) -> str:
    text = _LIST.sub(r"{\1}", _JOIN.sub(_join, text))
    for name, value in _find_constants(text).items():
        text = _substitute(name, value, text)
    return text


def _quote_words(call: re.Match[str]) -> str:
    return call[1] + _BARE_WORD.sub(lambda word: word[1] or f'"{word[2]}"', call[2])


def _join(call: re.Match[str]) -> str:
    parts = [_strip(word) for word in re.findall(_WORD, call[1])]
    start = max((n for n, part in enumerate(parts) if part.startswith("/")), default=0)
    return '"' + "/".join(part.rstrip("/") for part in parts[start:]) + '"'


def _strip(word: str) -> str:
    return word[1:-1] if word[0] in '"{' else word


def _find_constants(text: str) -> dict[str, str]:
    """Returns the variables that are set once, with the words they are set to."""
    found: dict[str, list[str]] = {}
    for name, value in _SET.findall(text):
        found.setdefault(name, []).append(value)
    return {name: values[0] for name, values in found.items() if len(values) == 1 and not re.search(rf"append\s+{name}\b", text)}


def _substitute(name: str, value: str, text: str) -> str:
    text = re.sub(rf"(\bforeach\s+\w+\s+)\${name}(?!\w)", lambda loop: f"{loop[1]}{{{_strip(value)}}}", text)
    return re.sub(rf"\$(?:::)?(?:{name}(?![\w(:])|\{{{name}\}})", lambda _: _strip(value), text)


def _unroll_loops(text: str) -> str:
    while (loop := _LOOP.search(text)) is not None:
        end = _find_end(text, loop.end())
        body = text[loop.end() + 1 : end - 1]
        items = re.findall(_WORD, _strip(loop[2]))
        rounds = (_write_constants(_write_constants(_substitute(loop[1], item, body))) for item in items)
        text = text[: loop.start()] + "\n".join(rounds) + text[end:]
        if len(text) > 2 * _LONGEST:
            break
    return text


def _find_end(text: str, opening: int) -> int:
    """Returns the position after the brace that closes the one at `opening`."""
    depth = 0
    for brace in _BRACE.finditer(text, opening):
        depth += {"{": 1, "}": -1}.get(brace[0], 0)
        if depth == 0:
            return brace.end()
    return len(text)

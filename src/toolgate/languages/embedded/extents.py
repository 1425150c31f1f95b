"""Where a piece of code ends that is embedded in a file: at the end of the line, of a text in quotes, of a block.

Each extent takes the text of the file and the position where the code begins, and returns the code."""

import re
import shlex
import textwrap
from collections.abc import Callable

from toolgate.languages import UNKNOWN_PART

Extent = Callable[[str, int], str]

_LINE = re.compile(r"(?:\\\n|[^\n])*")
_STRING = re.compile(
    r"\s*(?:[fru]{0,2}(?:\"\"\"(?P<long>.*?)(?<!\\)\"\"\"|'''(?P<other>.*?)(?<!\\)'''"
    r"|\"(?P<double>(?:\\.|[^\"\\])*)\"|'(?P<single>(?:\\.|[^'\\])*)')|\[\[(?P<lua>.*?)\]\])",
    re.DOTALL,
)
_ESCAPED = re.compile(r"\\([\"'\\$`])")
_NIX_TEXT = re.compile(r"\s*''(.*?)(?<!')''(?![$'\\])", re.DOTALL)
_NIX_ESCAPED = re.compile(r"''([$'])")
_STEP = re.compile(r"(?:pkgver|prepare|unpack|fetch|verify|build|check|package\w*|(?:src|pkg)_\w+)").fullmatch
"""Matches the functions of a package that its builder calls."""
_FUNCTION = re.compile(
    r"^(?:function[ \t]+)?(?P<name>[\w.:+-]+)[ \t]*\(\)[ \t]*\{|^function[ \t]+(?P<other>[\w.:+-]+)[ \t]*\{", re.MULTILINE
)
_CLOSING = {"(": ")", "[": "]", "{": "}", "<": ">"}


def rest_of_line(text: str, start: int) -> str:
    """Returns the rest of the line, with the lines that continue it."""
    found = _LINE.match(text, start)
    return found[0].strip() if found is not None else ""


def quoted_text(text: str, start: int) -> str:
    """Returns the text in quotes that begins here, joined with those that follow it; the words of a list as one command, or its
    texts as lines of a script. Empty where none begins."""
    opening = re.compile(r"\s*[\[(]").match(text, start)
    is_list = opening is not None and _STRING.match(text, start) is None
    position = opening.end() if opening is not None and is_list else start
    texts, is_separate = [""], False
    while (found := _STRING.match(text, position)) is not None:
        value = next(each for each in found.groups() if each is not None)
        value = _ESCAPED.sub(r"\1", value.replace("\\n", "\n"))
        if is_separate:
            texts.append(value)
        else:
            texts[-1] += value
        comma = re.compile(r"\s*,").match(text, found.end())
        is_separate = comma is not None
        if is_separate and not is_list:
            break
        position = comma.end() if comma is not None else found.end()
    is_argv = len(texts) > 1 and not re.search(r"\s", texts[0])
    return " ".join(map(shlex.quote, texts)) if is_argv else "\n".join(texts)


def value(text: str, start: int) -> str:
    """Returns a text in quotes or a list of them, or else the rest of the line."""
    return quoted_text(text, start) or rest_of_line(text, start)


def nix_text(text: str, start: int) -> str:
    """Returns a text of Nix: between two single quotes each, in double quotes, or a list of them."""
    found = _NIX_TEXT.match(text, start)
    if found is not None:
        return _NIX_ESCAPED.sub(r"\1", found[1])
    spaced = re.match(r"\s*\[((?:\s*\"(?:\\.|[^\"\\])*\")*)\s*\]", text[start:])
    words = [_ESCAPED.sub(r"\1", word) for word in re.findall(r'"((?:\\.|[^"\\])*)"', spaced[1])] if spaced is not None else []
    return " ".join(map(shlex.quote, words)) or quoted_text(text, start)


def bracketed(text: str, start: int) -> str:
    """Returns what stands in the bracket that opens here or just before, without quotes around it."""
    start -= text[start : start + 1] not in _CLOSING
    opening = text[start : start + 1]
    closing, depth = _CLOSING.get(opening, ")"), 0
    for n in range(start, len(text)):
        depth += (text[n] == opening) - (text[n] == closing)
        if depth == 0:
            inner = text[start + 1 : n].strip()
            return _ESCAPED.sub(r"\1", inner[1:-1]) if re.fullmatch(r'"(?:\\.|[^"\\])*"', inner, re.DOTALL) else inner
    return text[start + 1 :]


_TCL_COMMAND = re.compile(r"(?:\"(?:\\.|[^\"\\])*\"|\{[^{}]*\}|\[[^\[\]]*\]|\\\n|[^\n;\]\"{}])+", re.DOTALL)
_TCL_VARIABLE = re.compile(r"\$(?:::)?env\((\w+)\)")
_SENT = re.compile(r"\bsend(?:[ \t]+-\w+)*[ \t]+(?:--[ \t]+)?(?=[\"{])")


def tcl_command(text: str, start: int) -> str:
    """Returns the words of a command in Tcl as a line of a shell: those in braces are quoted."""
    found = _TCL_COMMAND.match(text, start)
    command = found[0].strip().replace("{*}", "") if found is not None else ""
    command = re.sub(r"\[[^\[\]]*\]", UNKNOWN_PART, re.sub(r"\[list\s+([^\[\]]*)\]", r"\1", command))
    command = re.sub(r"\{([^{}]*)\}", lambda word: shlex.quote(word[1]), command)
    return _TCL_VARIABLE.sub(r"${\1}", command)


def typed_lines(text: str, start: int) -> str:
    """Returns what a script of Expect types from here on."""
    sent = (quoted_text(text, found.end()) or bracketed(text, found.end()) for found in _SENT.finditer(text, start))
    return "".join(each.replace("\\r", "\n").replace("\\n", "\n") for each in sent)


def unescaped(extent: Extent) -> Extent:
    """Returns the extent of code within a text in quotes, whose own quotes are escaped."""
    return lambda text, start: _ESCAPED.sub(r"\1", extent(text, start))


def up_to(pattern: str) -> Extent:
    """Returns the extent of code before a pattern, or before the end of the file."""
    end = re.compile(pattern, re.MULTILINE)

    def take_block(text: str, start: int) -> str:
        found = end.search(text, start)
        return textwrap.dedent(text[start : found.start() if found is not None else len(text)])

    return take_block


def indented(text: str, start: int) -> str:
    """Returns the lines from here that are indented deeper than the line before them."""
    before = text[text.rfind("\n", 0, max(start - 1, 0)) + 1 : start]
    depth = len(before) - len(before.lstrip())
    lines = []
    for line in text[start:].splitlines():
        if line.strip() and len(line) - len(line.lstrip()) <= depth:
            break
        lines.append(line)
    return textwrap.dedent("\n".join(lines))


def whole(text: str, _position: int) -> str:
    """Returns the whole file."""
    return text


def called_steps(text: str, _position: int) -> str:
    """Returns the script of a package as one that calls its steps, as a builder does."""
    names = dict.fromkeys(found["name"] or found["other"] for found in _FUNCTION.finditer(text))
    return "\n".join((text, *(f"({name})" for name in names if _STEP(name))))


_TEST_OF_BATS = re.compile(
    r"^[ \t]*(?:@test[ \t]+(?:\"(?:\\.|[^\"\\])*\"|'[^']*'|\S+)|(?:setup|teardown)(?:_file|_suite)?[ \t]*\(\))[ \t]*\{",
    re.MULTILINE,
)
_RUN_OF_BATS = re.compile(r"^([ \t]*)run[ \t]+(?:(?:-\S+|!)[ \t]+)*", re.MULTILINE)


def called_tests(text: str, _position: int) -> str:
    """Returns a file of Bats as a script that runs its tests, and what is set up before them, in their order."""
    return _TEST_OF_BATS.sub("{ ", _RUN_OF_BATS.sub(r"\1", text))


_RULE = re.compile(
    r"^(?:(?:use\s+)?(?:rule|checkpoint|module|subworkflow)\b.*|(?:config|report|work|container|singularity|env)\w*):.*\n?"
    r"(?:[ \t]+.*\n?|\n)*",
    re.MULTILINE,
)
_EVENT = re.compile(r"^on(?:start|success|error):", re.MULTILINE)


def without_rules(text: str, _position: int) -> str:
    """Returns the Python of a file of Snakemake outside its rules."""
    return _EVENT.sub("if True:", _RULE.sub("", text))


def prefixed(prefix: str, extent: Extent) -> Extent:
    """Returns the extent of an own command of a program, as the argument of a call of it."""
    return lambda text, start: f"{prefix} {extent(text, start)}"

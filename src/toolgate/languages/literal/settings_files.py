"""Settings that a program of the JVM loads from a literal file of properties, written out where it asks for them:
`properties.getProperty("root")`."""

import re

from toolgate.model.execution_context import ExecutionContext
from toolgate.model.word import known_word

from .texts import TEXT

_FILE = re.compile(r"\"([^\"\s]+\.properties)\"")
_LOADS = re.compile(r"\.load\s*\(|\bPropertiesConfiguration\b")
_ASKED = re.compile(
    rf"(?<![\w.])(?!System\b)\w+\s*(?:\.\s*(?:getProperty|getString)\s*\(\s*(?P<key>{TEXT})\s*(?:,\s*{TEXT}\s*)?\)|\[\s*(?P<index>{TEXT})\s*\]!{{0,2}})"
)
_ENTRY = re.compile(r"(?m)^[ \t]*([\w.-]+)[ \t]*[=:][ \t]*(.*?)[ \t]*$")
_EXPANDED = re.compile(
    rf"\"~(?P<rest>/[^\"\\\n]*)?\"\s*\.\s*(?:replaceFirst|replace|Replace)\s*\(\s*\"\^?~\"\s*,\s*(?P<home>{TEXT})\s*\)"
)


def write_settings(text: str, context: ExecutionContext) -> str:
    """Returns the code with the settings of its files of properties written out."""
    if _LOADS.search(text) is None:
        return text
    settings: dict[str, str] = {}
    for file in _FILE.findall(text):
        for content in context.read_alternatives(known_word(file)):
            settings.update(_ENTRY.findall(content.text or ""))

    def write_value(match: re.Match[str]) -> str:
        value = settings.get((match["key"] or match["index"])[1:-1])
        return match[0] if value is None or '"' in value or "\\" in value else f'"{value}"'

    return _ASKED.sub(write_value, text) if settings else text


def expand_home(text: str) -> str:
    """Returns the code with a tilde expanded where it replaces it by the home folder."""
    return _EXPANDED.sub(lambda match: f'{match["home"][:-1]}{match["rest"] or ""}"', text)

"""The fields of a record made safe to display or export, whatever somebody wrote into the log."""

from collections.abc import Mapping

RecordLine = Mapping[str, object]
"""A record as it was written (`record.Record`), or empty where the line could not be read."""

LONGEST_TEXT = 4000  # characters; a longer text means that somebody edited the log


def make_visible(text: object) -> str:
    """Returns the text with an escape for each character that controls a terminal or reorders the display."""
    shown = str(text)[:LONGEST_TEXT]
    if shown.isprintable():
        return shown
    return "".join(char if char.isprintable() else ascii(char)[1:-1] for char in shown)


def objects_of(line: RecordLine, key: str) -> list[RecordLine]:
    """Returns the objects in a list of a record; none if the value is not a list."""
    value = line.get(key)
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []


def number_of(line: RecordLine, key: str) -> int:
    """Returns a whole number of a record, or 0 if the value is not one."""
    value = line.get(key)
    return value if isinstance(value, int) and not isinstance(value, bool) else 0


def zones_of(effect: RecordLine) -> list[str]:
    """Returns the zones of an effect, safe to display."""
    zones = effect.get("zones")
    return [make_visible(zone) for zone in zones] if isinstance(zones, list) else []


def describe_effect(effect: RecordLine) -> str:
    """Describes an effect: its kind, name, count and zones."""
    name = f" {make_visible(effect['name'])}" if effect.get("name") else ""
    zones = ", ".join(zones_of(effect))
    count = number_of(effect, "count")
    times = f" \N{MULTIPLICATION SIGN}{count}" if count > 1 else ""
    return f"{make_visible(effect.get('kind', ''))}{name}{times}{f' in {zones}' if zones else ''}"


STAKES = {
    "files": "files",
    "unheld": "of them not in git",
    "untracked": "untracked",
    "size": "bytes",
    "commits": "commits",
    "lines": "lines",
}
"""The numbers at stake that are shown, with their units."""


def describe_stakes(line: RecordLine) -> str:
    """Describes what a call would have lost, as far as it was counted; empty if nothing was."""
    stakes = line.get("stakes")
    if not isinstance(stakes, dict):
        return ""
    counted = [f"{number:,} {unit}" for name, unit in STAKES.items() if (number := number_of(stakes, name))]
    return ", ".join(counted) + (", and more" if stakes.get("more") else "")

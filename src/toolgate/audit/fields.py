"""The fields of a record as they may be shown or exported, whatever somebody wrote into the log."""

from .summary import RecordLine

LONGEST_TEXT = 4000  # characters: no text that a record holds is longer, unless somebody edited the log


def make_visible(text: object) -> str:
    """The text without characters that control a terminal or reorder what is shown: each is written out as its escape."""
    shown = str(text)[:LONGEST_TEXT]
    if shown.isprintable():
        return shown
    return "".join(char if char.isprintable() else ascii(char)[1:-1] for char in shown)


def objects_of(line: RecordLine, key: str) -> list[RecordLine]:
    """The objects in a list of a record; none where it holds no list."""
    value = line.get(key)
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []


def number_of(line: RecordLine, key: str) -> int:
    """A whole number of a record; 0 where it holds none."""
    value = line.get(key)
    return value if isinstance(value, int) and not isinstance(value, bool) else 0


def zones_of(effect: RecordLine) -> list[str]:
    """The zones of an effect, as they may be shown."""
    zones = effect.get("zones")
    return [make_visible(zone) for zone in zones] if isinstance(zones, list) else []


def describe_effect(effect: RecordLine) -> str:
    """Its kind, its name, how often, and where."""
    name = f" {make_visible(effect['name'])}" if effect.get("name") else ""
    zones = ", ".join(zones_of(effect))
    count = number_of(effect, "count")
    times = f" \N{MULTIPLICATION SIGN}{count}" if count > 1 else ""
    return f"{make_visible(effect.get('kind', ''))}{name}{times}{f' in {zones}' if zones else ''}"

"""Writes docs/hosts/claude-code.md from what the end-to-end tests saw: `make e2e` first, then this.

Every line of the tables was noted by a test of tests/e2e while the real client ran; the words around them are below.
"""

import json
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
OBSERVATIONS = ROOT / ".cache" / "e2e" / "claude-code"
PAGE = ROOT / "docs" / "hosts" / "claude-code.md"
Row = dict[str, Any]

VERDICTS = ("PASS", "WARN", "ASK", "DENY")
EVENTS = (
    "PreToolUse",
    "PermissionRequest",
    "UserPromptSubmit",
    "PostToolUse",
    "PostToolUseFailure",
    "ConfigChange",
    "Stop",
    "SessionStart",
    "SessionEnd",
    "SubagentStart",
    "SubagentStop",
    "PreCompact",
)
FAULTS = {
    "crash": "crashes",
    "hang": "hangs",
    "missing": "is not there",
    "killed": "is killed",
    "object": "answers wrong",
    "text": "prints text",
}


def main() -> int:
    if not OBSERVATIONS.exists():
        print(f"nothing was seen yet ({OBSERVATIONS}): run `make e2e` first", file=sys.stderr)
        return 1
    PAGE.parent.mkdir(exist_ok=True)
    PAGE.write_text(page())
    return 0


def page() -> str:
    version = json.loads((OBSERVATIONS / "version.json").read_text())
    return f"""# Claude Code

*The tables on this page are written by `docs/generate_host_page.py` from runs of the real client, version {version}, with a
scripted model. They are what was seen, not what is documented.*

`toolgate install claude-code` registers one command hook for each of the {len(EVENTS)} events below, in exec form, with an
absolute path, no matcher, `"timeout": 10` and `"onFailure": "block"`. It needs Claude Code 2.1.295 or later: an older client
ignores `onFailure` and runs the call when the gate cannot answer. `toolgate doctor --live` proves on your machine that
in your client a deny denies, and that a gate which cannot start lets nothing through.

## What a verdict becomes

The table is from sessions without anybody there to be asked (`claude -p`), in bypass mode: nothing but the gate stands in the
way. Where a person is, ASK is the client's own prompt with the gate's reason, in bypass mode too (tests/e2e/test_person.py).
PASS and WARN never approve anything: the client's permission rules stay in force.

In bypass mode, a call that may write to a file which the client guards itself (names with a dot, mostly; by its name or through
a link) is denied where it would be asked about: the client would put its own question in the place of the gate's, and skip it.

{table(("verdict", "the call runs", "the model is told", "the user is told"), verdicts())}

## What a no is, event by event

{table(("event", "what it keeps from happening", "held", "the model reads the reason", "the user does"), refusals())}

## When the gate itself breaks

"held" means that nothing got through. Where it says "open", the client goes on without the gate: therefore the gate owns its
output (nothing else can print there), answers within a deadline of its own, and refuses in words whatever it cannot judge.

{table(("event", *(f"the gate {does}" for does in FAULTS.values())), faults())}

## Which tools reach the gate

{table(("tool", "before it runs", "after it ran", "note"), tools())}

A tool that is gone was offered by earlier versions; the gate still reads its calls.

## What can be changed on the way

{table(("what", "possible", "note"), (each(row, "row", "possible", "note") for row in rows("change")))}

## What goes past the gate

{table(("what", "reaches", "what comes of it"), (each(row, "row", "reaches", "harm") for row in rows("gap")))}
"""


def verdicts() -> Iterator[list[str]]:
    for row in ordered("verdict", VERDICTS):
        yield each(row, "row", "ran", "model", "user")


def refusals() -> Iterator[list[str]]:
    for row in ordered("refusal", EVENTS):
        yield [row["row"], row["stake"], *(yes(row[key]) for key in ("held", "model", "user"))]


def faults() -> Iterator[list[str]]:
    seen = {row["row"]: row["held"] for row in rows("fault")}
    for event in EVENTS:
        held = (seen.get(f"{event}.{fault}") for fault in FAULTS)
        yield [event, *("not tried" if each is None else "held" if each else "open" for each in held)]


def tools() -> Iterator[list[str]]:
    for row in rows("tool"):
        note = "gone" if row["gone"] else ""
        yield [row["row"].replace("__stub__peek", "__SERVER__TOOL"), yes(row["before"]), yes(row["after"]), note]


def rows(topic: str) -> list[Row]:
    return [json.loads(path.read_text()) for path in sorted((OBSERVATIONS / topic).iterdir())]


def ordered(topic: str, names: tuple[str, ...]) -> list[Row]:
    """In this order; a line that no test saw is an error, not a gap in the table."""
    found = {row["row"]: row for row in rows(topic)}
    return [found[name] for name in names]


def each(row: Row, *keys: str) -> list[str]:
    return [str(row[key]) for key in keys]


def yes(value: bool) -> str:
    return "yes" if value else "no"


def table(head: Iterable[str], body: Iterable[list[str]]) -> str:
    lines = [list(head), *body]
    lines.insert(1, ["---"] * len(lines[0]))
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


if __name__ == "__main__":
    sys.exit(main())

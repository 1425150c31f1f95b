"""Writes docs/hosts/*.md from the observations of the end-to-end tests: run `make e2e` first.

A test of tests/e2e recorded every line of the tables while the real client ran; the text around them is below.
"""

import json
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from host_pages import block

from toolgate.hosts import load_host

ROOT = Path(__file__).parents[1]
OBSERVATIONS = ROOT / ".cache" / "e2e"
PAGES = ROOT / "docs" / "hosts"
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
    "missing": "is missing",
    "killed": "is killed",
    "object": "prints other JSON",
    "text": "prints text",
}


def main() -> int:
    for name, page in (("claude-code", claude_code), ("copilot", copilot)):
        if not (OBSERVATIONS / name).exists():
            print(f"nothing was seen yet ({OBSERVATIONS / name}): run `make e2e` first", file=sys.stderr)
            return 1
        (PAGES / f"{name}.md").write_text(page(Observations(OBSERVATIONS / name)))
    return 0


@dataclass(frozen=True)
class Observations:
    """The observations about one host: a folder for each table, a file for each line."""

    folder: Path

    @property
    def version(self) -> str:
        return str(json.loads((self.folder / "version.json").read_text()))

    def rows(self, topic: str) -> list[Row]:
        return [json.loads(path.read_text()) for path in sorted((self.folder / topic).iterdir())]

    def rows_in_order(self, topic: str, names: tuple[str, ...]) -> list[Row]:
        """Returns the rows in this order; a line that no test recorded is an error, not a gap in the table."""
        found = {row["row"]: row for row in self.rows(topic)}
        return [found[name] for name in names]


def copilot(seen: Observations) -> str:
    became = [pick(row, "row", "ran", "model") for row in seen.rows_in_order("verdict", ("PASS", "ASK", "DENY"))]
    broke = [pick(row, "row", "held") for row in seen.rows("fault")]
    reached = [pick(row, "row", "before") for row in seen.rows("tool")]
    return f"""# GitHub Copilot

*The tables on this page are written by `docs/generate_host_page.py` from runs of the real client, version {seen.version}, with a
scripted model. They show observed behaviour, not documented behaviour.*

`toolgate install copilot` writes its own hook file, `~/.copilot/hooks/toolgate.json` (or, with `--scope project`,
`.github/hooks/toolgate.json`), with a command for each of these events: {", ".join(load_host("copilot").EVENTS)}.
Each has an absolute path, no matcher, and `"timeoutSec": 10`. Sessions of the SDKs read the same files.
`toolgate doctor --live` proves on your machine that a denied call does not run, and that no call runs if the gate cannot start.

The gate reads both dialects of hook files: the client's own (`preToolUse`), which it registers, and the one with Claude Code's
names (`PreToolUse`). Arguments may be an object or its JSON text.

## Effect of each verdict

The table is from unattended sessions (`copilot -p --allow-all-tools`). In an attended session, ASK shows the client's own prompt
with the gate's reason, under `--yolo` too. The client cannot show its user a message beside a call, so a WARN is only in the
record.

{table(("verdict", "the call runs", "the model is told"), became)}

## When the gate itself breaks

"held" means that the call did not run. "open" means that the client continues without the gate. Therefore nothing but the gate
can print to its output, and it answers within its own deadline.

{table(("the gate", "the call"), broke)}

## Which tools reach the gate

{table(("tool", "before it runs"), reached)}

Subagents (`task`) are judged under their own id. A tool of an MCP server appears as `server-tool`.

## What goes past the gate

- The output of a tool is redacted before the model reads it. The raw text stays in the client's own events and in
  `session-state/*/events.jsonl`.
- The output of a failed call reaches the model unredacted. (A command with an exit code other than 0 has not failed.)
- You cannot approve a call in the conversation, because the client shows no message of a hook. Use `toolgate approve` on your own
  terminal.

{block("copilot")}
"""


def claude_code(seen: Observations) -> str:
    return f"""# Claude Code

*The tables on this page are written by `docs/generate_host_page.py` from runs of the real client, version {seen.version}, with a
scripted model. They show observed behaviour, not documented behaviour.*

`toolgate install claude-code` registers one command hook for each of the {len(EVENTS)} events below, in exec form, with an
absolute path, no matcher, `"timeout": 10` and `"onFailure": "block"`. It needs Claude Code 2.1.295 or later: an older client
ignores `onFailure` and runs the call when the gate cannot answer. `toolgate doctor --live` proves on your machine that
a denied call does not run in your client, and that no call runs if the gate cannot start.

## Effect of each verdict

The table is from unattended sessions (`claude -p`) in bypass mode, in which only the gate can stop a call. In an attended
session, ASK shows the client's own prompt with the gate's reason, in bypass mode too (tests/e2e/test_person.py). PASS and WARN
never approve a call: the client's permission rules stay in force.

The client itself protects some files (mostly names with a dot), and in bypass mode it replaces the gate's question about them by
its own, which it then skips. Therefore the gate denies a call that may write to such a file where it would otherwise ask.

{table(("verdict", "the call runs", "the model is told", "the user is told"), verdicts(seen))}

## Effect of a refusal, event by event

{table(("event", "what it prevents", "held", "the model reads the reason", "the user reads it"), refusals(seen))}

## When the gate itself breaks

"held" means that nothing got through. "open" means that the client continues without the gate. Therefore nothing but the gate can
print to its output, it answers within its own deadline, and it explicitly refuses every call that it cannot judge.

{table(("event", *(f"the gate {does}" for does in FAULTS.values())), faults(seen))}

## Which tools reach the gate

{table(("tool", "before it runs", "after it ran", "note"), tools(seen))}

"gone": earlier versions offered the tool. The gate still reads its calls.

## What the gate can change

{table(("what", "possible", "note"), (pick(row, "row", "possible", "note") for row in seen.rows("change")))}

## What goes past the gate

{table(("what", "reaches", "result"), (pick(row, "row", "reaches", "harm") for row in seen.rows("gap")))}

## Which variables of a repository's settings reach a hook

A repository's `.claude/settings.json` may contain `env`. The gate refuses calls if a variable would move its files, and
ignores variables that claim something about the caller (see [security](../security.md#the-gates-own-installation)).

{table(("variable", "handed to the hook"), ([row["row"], yes_or_no(row["handed_on"])] for row in seen.rows("injected")))}

{block("claude-code")}
"""


def verdicts(seen: Observations) -> Iterator[list[str]]:
    for row in seen.rows_in_order("verdict", VERDICTS):
        yield pick(row, "row", "ran", "model", "user")


def refusals(seen: Observations) -> Iterator[list[str]]:
    for row in seen.rows_in_order("refusal", EVENTS):
        yield [row["row"], row["stake"], *(yes_or_no(row[key]) for key in ("held", "model", "user"))]


def faults(seen: Observations) -> Iterator[list[str]]:
    held = {row["row"]: row["held"] for row in seen.rows("fault")}
    for event in EVENTS:
        tried = (held.get(f"{event}.{fault}") for fault in FAULTS)
        yield [event, *("not tried" if each is None else "held" if each else "open" for each in tried)]


def tools(seen: Observations) -> Iterator[list[str]]:
    for row in seen.rows("tool"):
        note = "gone" if row["gone"] else ""
        yield [row["row"].replace("__stub__peek", "__SERVER__TOOL"), yes_or_no(row["before"]), yes_or_no(row["after"]), note]


def pick(row: Row, *keys: str) -> list[str]:
    return [str(row[key]) for key in keys]


def yes_or_no(value: bool) -> str:
    return "yes" if value else "no"


def table(head: Iterable[str], body: Iterable[list[str]]) -> str:
    lines = [list(head), *body]
    lines.insert(1, ["---"] * len(lines[0]))
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


if __name__ == "__main__":
    sys.exit(main())

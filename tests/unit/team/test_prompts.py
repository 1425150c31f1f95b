"""Tests what a prompt has to say beside the gate, and which of its statements the gate enforces, by the team design's own three
tables. The texts are quoted from squad.agent.md (MIT, Brady Gaster and contributors), as that design lists them.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from toolgate.cli.inventory import iter_binding_statements, list_enforcing_rules
from toolgate.rules import TABLE
from toolgate.rules.team.context.policies import AUDITED_RULES, POLICIES

ENFORCED = {
    "P1": "You may NOT generate domain artifacts (code, designs, analyses) — spawn an agent",
    "P2": "The original author is locked out. They may NOT produce the next version",
    "P3": "Never read or store `git config user.email` — email addresses are PII",
    "P5": "Agents may only write to files listed in their 'Who May Write' column",
    "P6": "Each agent may read ONLY: its own files + decisions.md + explicitly listed artifacts",
    "P8": "Append-only files must never be retroactively edited to change meaning",
    "P9": "If ask_user returns < 10 characters, treat as ambiguous",
    "P10": "agent may not self-modify [charter.md]",
    "P11": "Agents do NOT write directly to decisions.md",
    "P12": "MCP configs must use ${VAR} syntax for secrets — never hardcode API keys",
    "P14": "Every agent interaction MUST use the task tool",
    "P15": "Never edited after write (orchestration-log, session log)",
    "P16": "Do NOT delete the entry — the name remains reserved (casting registry)",
    "P17": "DO NOT create any files until the user confirms",
    "P18": "emails are PII and must not be written to committed files",
}
"""P4, P7 and P13 stand in no prompt of that design: nothing said them."""
PROSE = (
    '"What can I launch RIGHT NOW?" — maximize parallel work',
    "Keep responses human; never expose tool internals or SQL",
    "1-2 agents per question, not all of them",
    "When in doubt, pick someone and go",
    "Acknowledge immediately before you begin",
    "Do NOT re-read team.md on subsequent messages",
    "No role-play. No catchphrases.",
    "Never fall back UP in tier",
    "Skill confidence only goes up, never down",
    "Never downgrade mid-task",
)
FROM_THE_REAL_PROMPT = {
    "- You may NOT bypass reviewer approval on rejected work": "P2",
    "Do NOT create any files or directories.": "P17",
    "Each agent writes only to its own `history.md` (already conflict-free).": "P5",
    "Every domain task MUST be dispatched through the platform tool (`task` on CLI, `runSubagent` on VS Code).": "P14",
    "- **Always dispatch to agents via the platform's spawn tool.**": "P14",
    "**The locked-out author may NOT contribute to the revision** in any form.": "P2",
    "**A different agent MUST own the revision.**": "P2",
    'If the Reviewer says "someone else should fix this," the original agent does NOT get to self-revise.': "P2",
}
"""Sentences of the coordinator's prompt in version 0.10.0 of that team's package."""
HYBRID = {
    "Never simulate or role-play an agent": "P1",
    "Each agent may read ONLY its own files": "P6",
    "Agents do NOT write directly to decisions.md": "P11",
    "You may NOT bypass reviewer approval on rejected work": "P2",
    "Never hardcode API keys in MCP configs": "P12",
}


STAYS = (
    "**Merge driver for append-only files:** Create or update `.gitattributes` to enable conflict-free merging, always.",
    "The `union` merge driver keeps all lines from both sides, which is only correct for append-only files.",
    "- Do NOT re-read team.md until the user confirms a change.",
    "| File | Who May Write | Who May Read |",
    "| `decisions.md` | Squad (Coordinator) only | All agents |",
    "| Fenster | Must review before merge; locked out until then |",
    "- Scribe must merge the files of decisions/inbox/ into decisions.md.",
    "- Read decisions.md and decisions/inbox/ first.",
    "- The reviewer explains why an author is not the one to ask.",
    "- MCP configs live in .vscode/mcp.json.",
)


def test_what_toolgate_reads_and_what_is_behaviour_can_never_go() -> None:
    for text in STAYS:
        assert [each for each in iter_binding_statements(f"{text}\n") if each.policies] == [], text


@pytest.mark.parametrize(("policy", "text"), ENFORCED.items())
def test_what_moves_to_hooks_is_found_with_its_rules(policy: str, text: str) -> None:
    found = list(iter_binding_statements(f"- {text}\n"))
    assert all(policy in [each.id for each in one.policies] and list_enforcing_rules(one) for one in found)
    assert found


@pytest.mark.parametrize(("text", "policy"), FROM_THE_REAL_PROMPT.items())
def test_a_sentence_of_the_real_prompt_is_found(text: str, policy: str) -> None:
    (found,) = iter_binding_statements(text)
    assert [each.id for each in found.policies] == [policy]


@pytest.mark.parametrize("text", PROSE)
def test_what_stays_prose_has_no_rule(text: str) -> None:
    assert [each.policies for each in iter_binding_statements(text) if each.policies] == []


@pytest.mark.parametrize(("text", "policy"), HYBRID.items())
def test_what_an_agent_has_to_understand_keeps_a_reminder(text: str, policy: str) -> None:
    (found,) = iter_binding_statements(text)
    assert policy in [each.id for each in found.policies]
    assert found.reminders


def test_every_policy_is_a_rule_or_a_setting_that_there_is() -> None:
    assert [policy.id for policy in POLICIES] == [f"P{n}" for n in range(1, 19)]
    for policy in POLICIES:
        assert policy.rules or policy.by
        assert set(policy.rules) - {"session.questions"} <= set(TABLE)
    assert set(TABLE) >= AUDITED_RULES


PROMPT = (
    "# Team\n\nBe kind.\n\n" + "".join(f"- {text}.\n" for text in (*ENFORCED.values(), *PROSE)) + "\n```\nnever run this\n```\n"
)


def toolgate(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    environ = {"HOME": str(folder), "TOOLGATE_HOME": str(folder / "gate"), "PATH": os.environ["PATH"]}
    return subprocess.run(
        [sys.executable, "-m", "toolgate", *words], cwd=folder, env=environ, capture_output=True, text=True, check=False
    )


def test_the_bytes_that_can_go(tmp_path: Path) -> None:
    (tmp_path / "PROMPT.md").write_text(PROMPT)
    report = json.loads(toolgate(tmp_path, "inventory", "PROMPT.md", "--json").stdout)
    enforced = sum(each["bytes"] for each in report["statements"] if each["policies"])
    reminder_bytes = sum(len(each.encode()) + 1 for each in report["reminders"])
    assert report["bytes"] == enforced - reminder_bytes > 0
    assert not any("never run this" in each["text"] or "Be kind" in each["text"] for each in report["statements"])
    assert f"{report['bytes']} bytes can go" in toolgate(tmp_path, "inventory", "PROMPT.md").stdout


def test_a_prompt_says_who_one_is_and_no_more(tmp_path: Path) -> None:
    plain = toolgate(tmp_path, "prompt")
    assert "task tool" not in plain.stdout
    assert f"{len(plain.stdout.encode())} bytes" in plain.stderr
    (tmp_path / ".squad").mkdir()
    (tmp_path / ".squad" / "team.md").write_text("| Name | Role |\n|---|---|\n| Fenster | Dev |\n")
    coordinator = toolgate(tmp_path, "prompt", "--profile", "squad", "--agent", "coordinator").stdout
    fenster = toolgate(tmp_path, "prompt", "--profile", "squad", "--agent", "fenster").stdout
    assert "task tool" in coordinator
    assert "inbox" not in coordinator
    assert "inbox" in fenster
    assert "task tool" not in fenster
    assert len(coordinator) < 1000
    assert toolgate(tmp_path, "prompt", "--profile", "squad", "--agent", "nobody").returncode == 1

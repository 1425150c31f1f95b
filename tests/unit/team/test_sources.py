"""Tests a team's files, as people write them, and as a stranger might."""

import pytest

from toolgate.rules.team.context.roster import Roster, parse_roster, read_roster
from toolgate.rules.team.context.sources import (
    BUILT_IN,
    Entry,
    guess_role,
    may_write,
    parse_owned_paths,
    parse_ownership_table,
)

TEAM = """# Team

| Name | Role | Charter |
|------|:----:|---------|
| **Fenster** | Core Dev | `.squad/agents/fenster/charter.md` |
| [Baer](agents/baer) | Code Reviewer | |

Nobody else.

| Agent | Role |
| --- | --- |
| Scribe | Session Logger |
"""
SOURCES = """
| File | Status | Who May Write | Who May Read |
|---|---|---|---|
| `.squad/agents/{name}/charter.md` | identity | Squad (Coordinator) at creation | owner |
| `.squad/routing.md`, `.squad/ceremonies.md` | | Squad (Coordinator), Fenster | all |
| `docs/` | | All agents | all |
"""


def test_a_roster_is_read_from_every_table_with_names_and_roles() -> None:
    assert parse_roster(TEAM) == {"Fenster": "Core Dev", "Baer": "Code Reviewer", "Scribe": "Session Logger"}


@pytest.mark.parametrize(
    "text",
    [
        "## Members\n\n- **Fenster** \u2014 Backend Developer\n- **Baer** \u2014 Code Reviewer\n",
        "# Team\n\n- Fenster: Backend Developer\n- Baer: Code Reviewer\n\n## Conventions\n\n- Commits: small\n",
        "## Roster\n* Fenster (Backend Developer)\n* \U0001f512 **Baer** - Code Reviewer\n",
        "## Agents\n1. [Fenster](agents/fenster/charter.md) - Backend Developer\n2. Reviewer: Baer\n",
        "# Team\n\n## Fenster \u2014 Backend Developer\nWorks.\n\n## Baer \u2014 Code Reviewer\n- Focus: auth\n",
        "# The team\n\n### Fenster\n**Role:** Backend Developer\n\n### Baer\n- Role: Code Reviewer\n",
        "# Team\n\n| Member | Responsibility |\n|---|---|\n| Fenster | Backend |\n| Baer | Code review |\n",
        "## Team\n\nName | Role\n--- | ---\nFenster | Backend\nBaer | Reviewer\n",
        "## The crew\n\n- **Fenster**\n  - Role: Backend\n  - Charter: `x`\n- **Baer**\n  - Role: Code Reviewer\n",
        "---\nmembers:\n  - name: Fenster\n    role: Backend\n  - name: Baer\n    role: Reviewer\n---\n# Team\n",
        "# Our project\n\n**Members:**\n\n- Fenster (he/him) \u2014 Backend\n- Baer (she/her), Reviewer\n",
        "Team\n====\n\nMembers\n-------\n\n- [x] @Fenster -> backend\n- [ ] @Baer -> reviewer\n",
        "## Members\n\n- **Backend:** Fenster\n- **Reviewer:** Baer\n",
        "## Squad\n\n- \U0001f3d7\ufe0f Fenster \u2013 Lead (Architecture)\n- \U0001f9ea Baer \u2013 Tester / Reviewer\n",
    ],
)
def test_a_roster_is_read_from_lists_and_headings(text: str) -> None:
    found = parse_roster(text)
    assert {name: guess_role(name, role) for name, role in found.items()} == {"Fenster": "agent", "Baer": "reviewer"}


def test_a_line_of_the_list_that_names_no_member_is_reported() -> None:
    text = "# Team\n\n## Members\n\n- Fenster: Backend\n- see the wiki for the others\n\n## Rules\n\n- commits are small\n"
    assert read_roster(text) == Roster({"Fenster": "Backend"}, 3, (6,))
    assert read_roster("# Team\n\n## Members\n\n<table></table>\n") == Roster({}, 3, ())


def test_a_table_is_the_roster_where_there_is_one() -> None:
    assert parse_roster(f"{TEAM}\n## Agents\n\n- Verbal: Prompt Engineer\n").keys() == parse_roster(TEAM).keys()


@pytest.mark.parametrize("text", ["", "# Team\n\nFenster builds, Baer reviews.\n", "# Project\n\n- Stack: Python\n"])
def test_prose_names_no_members(text: str) -> None:
    assert parse_roster(text) == {}


@pytest.mark.parametrize(
    ("name", "said", "role"),
    [
        ("Baer", "Code Reviewer", "reviewer"),
        ("Scribe", "Session Logger", "scribe"),
        ("Squad", "Coordinator", "coordinator"),
        ("Coordinator", "Dev", "agent"),
        ("Fenster", "", "agent"),
    ],
)
def test_a_role_is_what_the_roster_says_and_no_name_makes_a_coordinator(name: str, said: str, role: str) -> None:
    assert guess_role(name, said) == role


def test_the_table_of_sources() -> None:
    assert parse_ownership_table(SOURCES) == (
        Entry(".squad/agents/*/charter.md", "Squad (Coordinator) at creation"),
        Entry(".squad/routing.md", "Squad (Coordinator), Fenster"),
        Entry(".squad/ceremonies.md", "Squad (Coordinator), Fenster"),
        Entry("docs/**", "All agents"),
    )


@pytest.mark.parametrize(
    ("writers", "name", "role", "owner", "may"),
    [
        ("Squad (Coordinator), Fenster", "fenster", "agent", "", True),
        ("Squad (Coordinator), Fenster", "Fen", "agent", "", False),
        ("Squad (Coordinator)", "Squad", "agent", "", False),
        ("Squad (Coordinator)", "x", "coordinator", "", True),
        ("Owning agent (append only); Scribe", "Fenster", "agent", "fenster", True),
        ("Owning agent (append only); Scribe", "Fenster", "agent", "verbal", False),
        ("Owning agent (append only); Scribe", "x", "scribe", "verbal", True),
        ("Owning agent", "", "agent", "", False),
        ("All agents", "", "agent", "", True),
    ],
)
def test_who_may_write(writers: str, name: str, role: str, owner: str, may: bool) -> None:
    assert may_write(Entry("x", writers), name, role, owner) is may


def test_what_a_charter_owns_is_paths_in_code() -> None:
    text = "# X\n\n`src/no/**`\n\n## What I Own\n\n- core: `src/core/**`, `npm test`\n- `API`\n\n## Boundaries\n\n`docs/**`\n"
    assert parse_owned_paths(text) == ("src/core/**",)


def test_the_designs_own_table_ends_with_the_whole_folder() -> None:
    assert BUILT_IN[-1] == Entry("{team}/**", "Squad (Coordinator)")


@pytest.mark.parametrize(
    "line", ["|" + "[" * 200_000, "| name | role |\n|---|---|\n" + "| a " * 50_000, "`" * 200_000, "## Owns\n" + "`a" * 90_000]
)
def test_a_strangers_file_is_read_or_left(line: str) -> None:
    """If the work grew with the square of the length, this would not end."""
    assert (parse_roster(line), parse_ownership_table(line), parse_owned_paths(line)) == ({}, (), ())

"""The designs that toolgate replaces, a folder each. GROWS: a design is a folder, and its names in this table.

A folder contains what its design needs: `profile.toml`, the reader of its policy file (`policy_file.py`), its own log (`log.py`),
its files beside the registration (`layout.py`), the form of its messages (`messages.py`), the files that it keeps of a session
(`session_files.py`), and its cases, in the folders of the rules that they concern. No other module names a design.
"""

from importlib import import_module
from types import MappingProxyType, ModuleType
from typing import Literal

PROFILES = MappingProxyType(
    {"failover": "safety_hook", "guardrail-confirm": "guardrail_hooks", "nous-plan": "plan_enforcer", "squad": "squad"}
)
"""Name of a profile -> the folder of its design."""
PLAN_PROFILE, TEAM_PROFILE, FLEET_PROFILE = "nous-plan", "squad", "failover"

USER_POLICY_FILE, TEAM_POLICY_FILE = "guardrails.json", "policies.json"
POLICY_FILES = MappingProxyType({USER_POLICY_FILE: "guardrail-confirm", TEAM_POLICY_FILE: "squad"})
"""Base name of a design's policy file -> its profile, under which the file may also loosen."""

LAYOUTS = MappingProxyType({"guardrail": "guardrail_hooks"})
"""Name on the command line -> the folder of the design."""
MessageForm = Literal["plain", "guardrail"]
MESSAGE_FORMS: tuple[MessageForm, ...] = ("plain", "guardrail")
"""Forms of messages to the agent, the laxest first. Each but the first is one of the layouts."""

PLAN_FOLDER_VARIABLE, ENFORCEMENT_VARIABLE = "NOUS_ITER_DIR", "NOUS_PLAN_ENFORCEMENT"
VARIABLES = MappingProxyType(
    {
        PLAN_FOLDER_VARIABLE: "the folder of one iteration of an experiment",
        "CLAUDE_SAFETY_HOOK_LOG": "the file of the safety hook's log; by default `~/.claude/safety-hook.log`",
        ENFORCEMENT_VARIABLE: "`strict`, or `warn`: what becomes of a call that the experiment's plan does not name",
    }
)
"""Variables of the designs, with their effects."""
AD_HOC_COMMENT = " nous: ad-hoc"
"""Marks a call as no part of the plan, after the `#`."""
CAMPAIGNS_FOLDER = ".nous"
"""Contains the work dirs of a repository's campaigns."""
ENFORCER_SCRIPT, STOP_SCRIPT = "bin/nous-plan-enforcer", "bin/nous-execute-stop"
SCRIPT_PATH_PART = "/bin/nous-"

TEAM_FOLDERS = (".squad", ".ai-team")
"""The folder of a team, and its former name."""
TEAM_PROMPT = ".github/agents/squad.agent.md"
COORDINATOR = "Squad"

JOURNALS = MappingProxyType({"safety-hook": "safety_hook", "security-audit": "squad"})
"""Name of a log beside the audit -> the folder of its design."""

GATE_PROGRAMS = ("claude-safety-hook", "nous-plan-enforcer", "nous-execute-stop")
GATE_FILES = ("/.claude/state/guardrails.json", "/.claude/state/guardrail-session.json")
"""Ends of paths that only the person changes."""


def load_module(folder: str, module: str) -> ModuleType:
    return import_module(f"{__name__}.{folder}.{module}")

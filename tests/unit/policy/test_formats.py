"""Tests policy files of other designs, as their users wrote them."""

import json
from pathlib import Path
from typing import Any

import pytest

from toolgate import policy
from toolgate.app import App
from toolgate.designs.guardrail_hooks import policy_file as guardrails
from toolgate.designs.guardrail_hooks.layout import STARTER_RULES
from toolgate.designs.squad import policy_file as squad
from toolgate.machine.simulated_world import SimulatedWorld
from toolgate.model.action import RunShell, WriteFile
from toolgate.model.decision import Verdict
from toolgate.model.errors import PolicyError
from toolgate.model.event import Caller, Scene
from toolgate.model.rule import Policy
from toolgate.redaction.settings import build_redactor

PASS, WARN, ASK, DENY = Verdict


class Account:
    """A home with such files."""

    def __init__(self, home: Path) -> None:
        self.home, self.project = home, home / "projects" / "app"

    def write_file(self, name: str, content: object) -> None:
        path = self.home / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content if isinstance(content, str) else json.dumps(content))

    def policy(self) -> Policy:
        environ = {"TOOLGATE_HOME": str(self.home / "gate")}
        return policy.load(environ, str(self.home), str(self.project), try_example=lambda _rule, _text: True)

    def verdict(self, command: str) -> Verdict:
        return self._judge(RunShell(command))

    def judge_write(self, file: str) -> Verdict:
        return self._judge(WriteFile(file.replace("~", str(self.home)), "x"))

    def _judge(self, action: RunShell | WriteFile) -> Verdict:
        scene = Scene(Caller("test"), str(self.project), str(self.project), str(self.home), {}, "u")
        world = SimulatedWorld(folders=frozenset((str(self.home), str(self.project))))
        return App(lambda: world).judge(action, scene, self.policy()).decision.verdict


@pytest.fixture
def account(tmp_path: Path) -> Account:
    return Account(tmp_path)


@pytest.fixture
def guarded_account(account: Account) -> Account:
    account.write_file("gate/policy.toml", 'profile = "guardrail-confirm"')
    account.write_file(".claude/state/guardrails.json", STARTER_RULES)
    return account


STOPPED = {
    "rm -rf /": DENY,
    "rm -rf ~": DENY,
    "rm -rf *": DENY,
    "chmod -R 777 src": DENY,
    ":(){ :|:& };:": DENY,
    "mkfs.ext4 /dev/sda1": DENY,
    "dd if=x of=/dev/sda": DENY,
    "echo x > /dev/sda": DENY,
    "shutdown -h now": ASK,
    "systemctl stop nginx": ASK,
    "rm ~/Downloads/x": ASK,
    "kubectl delete pod x": ASK,
    "docker rm x": ASK,
    "rm old.py": PASS,
    "git push --force": PASS,
    "echo rm -rf /": PASS,
    "confirm rm x": PASS,
}


@pytest.mark.parametrize(("command", "verdict"), STOPPED.items())
def test_the_starter_file_means_what_it_was_written_for(guarded_account: Account, command: str, verdict: Verdict) -> None:
    assert guarded_account.verdict(command) == verdict


def test_its_paths_are_blocked_safe_or_outside(guarded_account: Account) -> None:
    files = ("~/.ssh/config", "/etc/hosts", "~/projects/other/x.py", "~/.claude/notes.md", "~/Downloads/x")
    assert [guarded_account.judge_write(file) for file in files] == [DENY, DENY, PASS, PASS, ASK]


def test_a_pattern_of_ones_own_runs_as_it_is_written(guarded_account: Account) -> None:
    own = {"pattern": "terraform (apply|destroy)", "action": "confirm", "id": "no_terraform"}
    far = {"pattern": "^touch ", "action": "block", "outside_safe_paths": True}
    guarded_account.write_file(".claude/state/guardrails.json", {**STARTER_RULES, "rules": {"bash": [own, far]}})
    assert guarded_account.verdict("terraform apply") == ASK
    assert guarded_account.verdict("terraform plan") == PASS
    assert guarded_account.verdict("touch ~/Downloads/x") == DENY
    assert guarded_account.verdict("touch x") == PASS
    assert {rule.id for rule in guarded_account.policy().written} == {"guardrails.no_terraform", "guardrails.touch"}


def test_every_starter_pattern_holds_under_every_profile(account: Account) -> None:
    account.write_file(".claude/state/guardrails.json", STARTER_RULES)
    for profile in ("default", "squad", "failover", "paranoid"):
        account.write_file("gate/policy.toml", f'profile = "{profile}"')
        found = {command: account.verdict(command) for command, said in STOPPED.items() if said is not PASS}
        assert all(verdict >= STOPPED[command] for command, verdict in found.items()), (profile, found)
        assert account.verdict("docker ps") == PASS


def test_a_campaigns_profile_replaces_the_users_where_the_environment_names_it(account: Account) -> None:
    account.write_file("gate/policy.toml", 'profile = "paranoid"')
    account.write_file("gate/deployed.json", {str(account.project): {"profile": "nous-plan", "only_where_named": True}})
    environ = {"TOOLGATE_HOME": str(account.home / "gate")}
    named = {name: {**environ, "TOOLGATE_PROFILE": name} for name in ("nous-plan", "failover")}
    found = [policy.load(each, str(account.home), str(account.project)).profile for each in (environ, *named.values())]
    assert found == ["paranoid", "nous-plan", "paranoid"]
    assert policy.load(named["nous-plan"], str(account.home), str(account.home)).profile == "paranoid"  # elsewhere it joins


def test_under_another_profile_it_only_tightens(account: Account) -> None:
    own = {"bash": [{"pattern": "npm", "action": "block"}]}
    account.write_file(".claude/state/guardrails.json", {**STARTER_RULES, "safe_paths": ["~"], "rules": own})
    assert account.judge_write("~/Downloads/x") == ASK
    assert account.verdict("npm test") == DENY


@pytest.mark.parametrize(
    ("settings", "complaint"),
    [
        ({**STARTER_RULES, "version": 2}, "version 2 is not known"),
        ({**STARTER_RULES, "colour": 1}, "colour"),
        (
            {**STARTER_RULES, "rules": {"bash": [{"pattern": "(", "action": "block"}]}},
            "rules.bash[1].pattern: '(' is not a re2",
        ),
        ({**STARTER_RULES, "rules": {"bash": [{"pattern": "x", "action": "maybe"}]}}, "maybe"),
        ("{", "not JSON"),
    ],
)
def test_what_it_cannot_say_is_an_error_that_names_it(guarded_account: Account, settings: object, complaint: str) -> None:
    text = settings if isinstance(settings, str) else json.dumps(settings)
    with pytest.raises(PolicyError) as raised:
        guardrails.read_statements(text.encode(), "guardrails.json")
    assert complaint in str(raised.value)
    guarded_account.write_file(".claude/state/guardrails.json", settings)
    assert guarded_account.policy().degraded  # whatever does more than read asks


def test_a_teams_blocklist_adds_patterns(account: Account) -> None:
    own = {"customPatterns": [{"pattern": "^ssh ", "reason": "Ask Baer."}]}
    account.write_file("projects/app/.squad/config/policies.json", {"shellBlocklist": own})
    assert account.verdict("ssh host") == DENY
    assert account.verdict("git status") == PASS


def test_a_project_loosens_only_where_the_user_names_it(account: Account) -> None:
    account.write_file("projects/app/.squad/config/policies.json", {"shellBlocklist": {"enabled": False}})
    account.write_file("gate/policy.toml", 'profile = "squad"')
    assert account.verdict("git rebase main") == DENY
    account.write_file("gate/policy.toml", 'profile = "squad"\n[project."~/projects/app"]')
    assert account.verdict("git rebase main") == PASS
    assert account.verdict("rm -rf /") == DENY  # a floor


def test_without_the_lease_every_force_is_denied(account: Account) -> None:
    account.write_file("projects/app/.squad/config/policies.json", {"shellBlocklist": {"allowForceWithLease": False}})
    account.write_file("gate/policy.toml", 'profile = "squad"\n[project."~/projects/app"]')
    assert account.verdict("git push --force-with-lease") == DENY


def test_a_project_that_nobody_named_may_forbid_the_lease(account: Account) -> None:
    account.write_file("projects/app/.squad/config/policies.json", {"shellBlocklist": {"allowForceWithLease": False}})
    assert account.verdict("git push --force-with-lease") == DENY
    assert account.verdict("git push") == PASS


def test_a_key_that_nobody_knows_is_an_error() -> None:
    with pytest.raises(PolicyError, match="shellBlockList"):
        squad.read_statements(b'{"shellBlockList": {}}', "policies.json")


def squad_policy(account: Account, settings: object, user: str = "") -> Policy:
    account.write_file("projects/app/.squad/config/policies.json", settings)
    account.write_file("gate/policy.toml", f'profile = "squad"\n{user}')
    return account.policy()


NAMED = '[project."~/projects/app"]'


def test_a_teams_limits_on_questions_only_tighten_unless_the_user_names_the_project(account: Account) -> None:
    limits = {"askUserLimits": {"maxQuestionsPerSession": 9, "minResponseLength": 3}}
    assert squad_policy(account, limits).max_questions == 5
    assert squad_policy(account, {"askUserLimits": {"maxQuestionsPerSession": 2}}).max_questions == 2
    trusted = squad_policy(account, limits, NAMED)
    assert (trusted.max_questions, trusted.shortest_answer) == (9, 3)


def test_without_a_word_on_questions_nobody_else_is_limited(account: Account) -> None:
    account.write_file("projects/app/.squad/config/policies.json", {})
    assert account.policy().max_questions is None


def test_paths_of_an_agents_own_and_a_later_escalation_need_the_users_word(account: Account) -> None:
    settings = {
        "fileWriteGuards": {"additionalAllowedPaths": {"fenster": ["docs/**"]}},
        "reviewerLockout": {"escalateToUserAfterLockoutCount": 5},
    }
    assert squad_policy(account, settings).rulings["team.write-outside-scope"].options == {}
    trusted = squad_policy(account, settings, NAMED).rulings
    assert trusted["team.write-outside-scope"].options == {"additional": {"fenster": ("docs/**",)}}
    assert trusted["team.too-many-lockouts"].options == {"limit": 5}


def test_guards_that_a_file_switches_off_stay_on_until_the_user_names_the_project(account: Account) -> None:
    settings = {"fileWriteGuards": {"enabled": False}, "reviewerLockout": {"enabled": False}, "piiScrubbing": {"enabled": False}}
    for rule in (*squad.WRITE_GUARD_RULES, *squad.LOCKOUT_RULES):
        assert squad_policy(account, settings).rulings[rule].verdict >= ASK
        assert rule not in squad_policy(account, settings, NAMED).rulings  # as its row: off
    assert squad_policy(account, settings, NAMED).redact == "on"


def test_what_a_team_hides_is_added_and_what_it_leaves_alone_needs_the_users_word(account: Account) -> None:
    settings: dict[str, Any] = {
        "piiScrubbing": {
            "customPatterns": [{"pattern": "EMP-[0-9]{6}", "replacement": "[EMPLOYEE REDACTED]"}],
            "excludePatterns": ["@corp.example"],
        }
    }
    assert squad_policy(account, settings).redaction.patterns == (("employee-1", "EMP-[0-9]{6}"),)
    assert squad_policy(account, settings).redaction.domains == ()
    for each in (squad_policy(account, settings), Policy(redaction=squad_policy(account, settings).redaction)):
        assert "by [EMPLOYEE REDACTED]." in build_redactor(each, lambda: b"").redact_text("by EMP-123456.")
    settings["piiScrubbing"]["customPatterns"][0]["replacement"] = "<<somebody>>"
    assert build_redactor(squad_policy(account, settings), lambda: b"").redact_text("by EMP-123456.") == "by <<somebody>>."
    assert squad_policy(account, settings, NAMED).redaction.domains == ("corp.example",)

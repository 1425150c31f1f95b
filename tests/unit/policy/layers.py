"""A scratch home with policy files, and a small table of rules for them."""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from toolgate import policy
from toolgate.model.decision import Verdict
from toolgate.model.rule import Policy, RuleRow, WrittenRule, rule_row
from toolgate.policy.compilation import CompiledPolicy

PASS, WARN, ASK, DENY = Verdict

TABLE: dict[str, RuleRow] = {
    "git.force-push": rule_row("git.push", verdict=ASK, unsure=WARN),
    "git.clean": rule_row("git.clean", verdict=ASK),
    "filesystem.root": rule_row("Delete", verdict=DENY, floor=(DENY, ASK)),
    "gate.tamper": rule_row("Write", verdict=DENY, floor=(DENY, DENY)),
    "network.quiet": rule_row("Connect", verdict=PASS),
}


@dataclass
class Layers:
    """`organisation`, `user` and `project` are written to their places before every question."""

    home: Path
    organisation: str | None = None
    user: str | None = None
    project: str | None = None
    environ: dict[str, str] = field(default_factory=dict)
    try_example: Callable[[WrittenRule, str], bool] | None = None

    @property
    def folder(self) -> Path:
        return self.home / "code" / "api"

    @property
    def gate(self) -> Path:
        return self.home / "gate"

    def write(self) -> dict[str, str]:
        files = {
            self.gate / "organisation" / "policy.toml": self.organisation,
            self.gate / "policy.toml": self.user,
            self.folder / ".toolgate" / "policy.toml": self.project,
        }
        for path, text in files.items():
            path.parent.mkdir(parents=True, exist_ok=True)
            path.unlink(missing_ok=True)
            if text is not None:
                path.write_text(text)
        return {"TOOLGATE_HOME": str(self.gate), **self.environ}

    def load(self, session: str = "", profile: str = "") -> Policy:
        """Loads the policy as a new process does."""
        environ = self.write()
        policy._POLICIES_BY_KEY.clear()
        return policy.load(
            environ, str(self.home), str(self.folder), session, profile=profile, table=TABLE, try_example=self.try_example
        )

    def pin(self, session: str) -> None:
        policy.pin_policy(self.write(), str(self.home), str(self.folder), session, 0.0, table=TABLE, try_example=self.try_example)

    def compile_layers(self) -> CompiledPolicy:
        return policy.compile_files(self.write(), str(self.home), str(self.folder), table=TABLE, try_example=self.try_example)

    def verdicts(self, rule: str) -> tuple[Verdict, Verdict]:
        ruling = self.load().ruling_for(rule, TABLE[rule])
        return ruling.verdict, ruling.unsure

    def complaint(self) -> str:
        """Returns the only error, without the folder."""
        (problem,) = self.compile_layers().problems
        return str(problem).replace(str(self.home), "~")

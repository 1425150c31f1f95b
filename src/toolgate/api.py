"""The public API: the gate in a program's own process.

    from toolgate.api import Gate, Verdict

    gate = Gate(profile="ci-headless")
    decision = gate.judge("Bash", {"command": "git push --force"})
    if decision.verdict >= Verdict.ASK:
        print(decision.tell_agent)

Judging runs nothing, records nothing and keeps nothing: what belongs to a session (approvals, budgets, the record) is there
behind a host's hooks, and behind toolgate.sdk. Whatever is raised here means that the call is not to run.

`ensure_deployed` puts the gate into a project before a client is started there.
"""

import asyncio
import os
from collections.abc import Mapping
from dataclasses import dataclass, field

from toolgate import hosts
from toolgate.app import App
from toolgate.designs.safety_hook.deployment import ensure_deployed
from toolgate.model.decision import Decision, Finding, Match, Verdict
from toolgate.model.embedding import Embedding
from toolgate.model.errors import BadPayload
from toolgate.model.event import NO_SPAWN, Caller, Scene, Spawn

__all__ = ["Context", "Decision", "Finding", "Gate", "Match", "Spawn", "Verdict", "ensure_deployed"]


@dataclass(frozen=True, slots=True)
class Context:
    """For whom and where a call is judged. `project`: the folder that the session works in; `environ`: the variables that a
    call depends on. `spawn`: for a team's policy."""

    project: str = field(default_factory=os.getcwd)
    home: str = field(default_factory=lambda: os.path.expanduser("~"))
    environ: Mapping[str, str] = field(default_factory=lambda: dict(os.environ))
    session: str = ""
    spawn: Spawn = NO_SPAWN


class Gate:
    """`profile` replaces the one of the user's policy; layers are found as for a hook. `host`: the host whose names for tools
    and arguments are used. Raises KeyError for an unknown profile or host."""

    def __init__(self, *, profile: str = "", context: Context | None = None, host: str = "claude-code") -> None:
        from toolgate.policy.profiles import list_names

        if profile and profile not in list_names():
            raise KeyError(f"there is no profile {profile!r}; there are {', '.join(list_names())}")
        self._host = hosts.load_host(host)
        context = context or Context()
        embedding = Embedding(profile, context.spawn)
        self._app = App(embedding=embedding)
        environ = {**context.environ, "HOME": context.home}
        here, user = context.project, environ.get("USER", "")
        self._scene = Scene(Caller(host, context.session), here, here, context.home, environ, user, spawn=embedding.spawn)

    def judge(self, tool: str, arguments: Mapping[str, object], *, cwd: str = "") -> Decision:
        """Returns the decision on a call of one of the host's tools. `cwd`: where it runs; by default the project."""
        scene = self._scene._replace(cwd=cwd or self._scene.cwd)
        try:
            action = self._host.parse_action(tool, arguments, scene.cwd)
        except BadPayload as problem:
            message = f"toolgate cannot read this call: {problem}"
            return Decision(Verdict.DENY, Verdict.DENY, tell_user=message, tell_agent=message)
        return self._app.judge(action, scene, self._app.load_policy(scene)).decision

    async def judge_async(self, tool: str, arguments: Mapping[str, object], *, cwd: str = "") -> Decision:
        """Judges in a thread, so that the event loop continues."""
        return await asyncio.to_thread(lambda: self.judge(tool, arguments, cwd=cwd))

"""Answers one hook call in this process: on a thread of its own, within the deadline, refusing on every failure."""

import asyncio
import json
import os
import time
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor

from toolgate.app import App, local_scene
from toolgate.hosts import load_host as host_named
from toolgate.machine.current_account import real_user
from toolgate.machine.load import is_machine_busy
from toolgate.model.decision import Decision, Verdict
from toolgate.model.embedding import Embedding
from toolgate.model.event import PermissionRequested, Spawn, ToolCall
from toolgate.model.request import Answer, Request
from toolgate.model.rule import Policy

DEADLINE_SECONDS = 2.0
"""Seconds, as for a hook; on a busy machine BUSY_SECONDS more."""
BUSY_SECONDS = 6.0


class Gate:
    """The gate for the hooks of one session, which works in the folder `project`, with the environment `environ`. `on_notice`
    receives notices for the user, on the gate's own thread."""

    def __init__(
        self,
        host: str,
        environ: Mapping[str, str],
        project: str,
        profile: str,
        spawn: Spawn,
        on_notice: Callable[[str], None],
    ) -> None:
        def notify_user(_event: ToolCall | PermissionRequested, decision: Decision) -> None:
            if decision.tell_user and decision.verdict > Verdict.PASS:
                on_notice(decision.tell_user)

        self._host, self._environ, self._project = host, environ, project
        self._app = App(embedding=Embedding(profile, spawn, notify_user))
        self._worker = ThreadPoolExecutor(1, f"toolgate {host}")  # a store's connection belongs to the thread that opened it

    async def answer(self, event: str, payload: Mapping[str, object]) -> Answer:
        """Returns what the host's hook would print. Raises only when cancelled: then the call does not run."""
        try:
            raw = json.dumps(payload).encode()
        except (TypeError, ValueError) as problem:
            return self.refuse(event, f"toolgate cannot read this call ({problem}), so it refuses it")
        request = Request(
            self._host,
            event,
            raw,
            self._environ,
            self._project,
            real_user(),
            time.time(),
            os.getpid(),
        )
        try:
            judged = asyncio.get_running_loop().run_in_executor(self._worker, self._app.handle, request)
            done, _ = await asyncio.wait((judged,), timeout=DEADLINE_SECONDS)
            if not done and is_machine_busy():
                done, _ = await asyncio.wait((judged,), timeout=BUSY_SECONDS)
            if not done:
                judged.cancel()
                raise TimeoutError
            return judged.result()
        except (TimeoutError, RuntimeError) as problem:  # too slow, or the process is shutting down
            return self.refuse(event, f"toolgate could not judge this call ({type(problem).__name__}), so it refuses it")

    async def read_policy(self) -> Policy:
        """Returns the policy in force for the session. Raises PolicyError where it cannot be read."""
        scene = local_scene(self._project, self._environ.get("HOME", ""), dict(self._environ))
        return await asyncio.get_running_loop().run_in_executor(self._worker, self._app.load_policy, scene)

    def refuse(self, event: str, reason: str) -> Answer:
        return host_named(self._host).refuse(event, reason)

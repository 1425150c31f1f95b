"""Conversations of a client that is built from OpenCode.

Its server is started once for all of them, as it is for the client's own interfaces: a start takes longer than a conversation.
"""

import json
import shlex
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any
from urllib.parse import quote
from urllib.request import Request, urlopen

from e2e.client_sandbox import Outcome
from e2e.host_session import SECONDS, HostSandbox
from toolgate.canary.client import STUB_SERVER, Client, Launch, Scratch
from toolgate.canary.scripted_chat import ScriptedChat
from toolgate.canary.scripted_server import ScriptedTurn
from toolgate.install import own_command
from toolgate.machine.processes import kill_group

PASS_ON = f'exec {shlex.join(own_command())} "$@"'


@dataclass(frozen=True)
class ServedSandbox:
    """`model`: the model of every conversation. `url`: the address of the client's server."""

    sandbox: HostSandbox
    model: ScriptedChat
    url: str
    _numbers: Iterator[int] = field(default_factory=count)

    def talk(
        self,
        *turns: ScriptedTurn,
        threads: Mapping[str, Sequence[ScriptedTurn]] | None = None,
        folder: Path | None = None,
        **fields: object,
    ) -> Outcome:
        """Holds one conversation. `folder`: another project; `fields`: further fields of the user's message."""
        thread = f"<conversation {next(self._numbers)}>"
        self.model.scripts = {thread: turns, **(threads or {})}
        where = f"?directory={quote(str(folder or self.sandbox.project))}"
        session = self._send_request(f"/session{where}", {})["id"]
        response = self._send_request(
            f"/session/{session}/message{where}", {"parts": [{"type": "text", "text": thread}], **fields}
        )
        transcript = json.dumps(self.model.messages_of_thread(thread))
        return Outcome(0, self.model.call_results(thread), transcript, json.dumps(response))

    def _send_request(self, path: str, body: Mapping[str, object]) -> dict[str, Any]:
        request = Request(self.url + path, json.dumps(body).encode(), {"content-type": "application/json"})
        with urlopen(request, timeout=SECONDS) as answer:
            read: dict[str, Any] = json.load(answer)
            return read


@contextmanager
def serve(client: Client, program: Path, path: str, root: Path) -> Iterator[ServedSandbox]:
    """Yields the client's server, with every permission granted, and the gate behind a program that a test can replace."""
    sandbox = HostSandbox(client, program, path, Scratch(root)).prepare()
    sandbox.install_stand_in(PASS_ON)
    with ScriptedChat(()) as model:
        launch = Launch(str(program), {"PATH": path}, sandbox.home, sandbox.project, model.url, STUB_SERVER)
        variables = client.prepare(launch)[1]
        process = subprocess.Popen(
            [str(program), "serve"],
            cwd=sandbox.project,
            env={**variables, f"{client.name.upper()}_PERMISSION": '{"*": "allow"}'},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )
        try:
            assert process.stdout is not None
            url = next(line.split()[-1] for line in process.stdout if "listening on" in line)
            yield ServedSandbox(sandbox, model, url)
        finally:
            kill_group(process)
            process.communicate()

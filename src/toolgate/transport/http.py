"""An endpoint for hosts that post their hooks to an address: the same client, started for each request, behind a loopback port.

Any user of the machine can reach the port, so a token is required. Everything but a judged call gets no 2xx, or a refusal in the
host's own protocol; the host must be configured to treat everything else as a refusal (`onFailure`).
"""

import hmac
import os
import secrets
import stat
import subprocess
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from toolgate import hosts
from toolgate.hosts.claude_code.http_answers import render_body as claude_code
from toolgate.machine import files
from toolgate.machine.current_account import effective_user
from toolgate.model.errors import SettingsError
from toolgate.model.request import Answer

PATIENCE = 9.0  # seconds for the client, which has a deadline of its own
MAX_BODY_BYTES = 80 << 20
PROJECT_HEADER = "X-Toolgate-Project"
RENDERERS: dict[str, Callable[[Answer], str]] = {"claude-code": claude_code}
"""By host: the function that renders its answers as a body. Hosts that only start programs are not included."""


@dataclass(frozen=True, slots=True)
class Endpoint:
    """`command`: the client; `environ`: the environment that calls are judged by."""

    command: Sequence[str]
    token: str
    environ: Mapping[str, str]

    def answer_post(self, host: str, event: str, payload: bytes, project: str) -> str:
        environ = {**self.environ, **({"CLAUDE_PROJECT_DIR": project} if project else {})}
        try:
            done = subprocess.run(
                [*self.command, host, event],
                input=payload,
                capture_output=True,
                env=environ,
                cwd="/",
                timeout=PATIENCE,
                check=False,
            )
        except (OSError, subprocess.TimeoutExpired) as problem:
            return self._refusal(host, event, type(problem).__name__)
        out, err = done.stdout.decode(errors="replace"), done.stderr.decode(errors="replace")
        if done.returncode not in (0, 2):
            return self._refusal(host, event, f"its client ended with {done.returncode}")
        return RENDERERS[host](Answer(out, err, done.returncode))

    def _refusal(self, host: str, event: str, why: str) -> str:
        reason = f"toolgate could not judge this call ({why}), so it refuses it; `toolgate doctor` says more"
        return RENDERERS[host](hosts.load_host(host).refuse(event, reason))


def build_server(endpoint: Endpoint, port: int) -> ThreadingHTTPServer:
    """Listens on loopback; `serve_forever` answers. Port 0: any free one. Raises OSError."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        timeout = 60

        def do_POST(self) -> None:
            authorization = self.headers.get("Authorization", "").encode(errors="replace")
            length = self.headers.get("Content-Length", "")
            host, _, event = self.path.strip("/").partition("/")
            if not hmac.compare_digest(authorization, f"Bearer {endpoint.token}".encode()):
                self._send_response(401, '{"error": "the token of this endpoint is missing or wrong"}')
            elif host not in RENDERERS or event not in hosts.load_host(host).EVENTS:
                self._send_response(404, '{"error": "post to /HOST/EVENT"}')
            elif not length.isdigit() or int(length) > MAX_BODY_BYTES:
                self._send_response(413, '{"error": "no call of a readable size"}')
            else:
                payload = self.rfile.read(int(length))
                self._send_response(200, endpoint.answer_post(host, event, payload, self.headers.get(PROJECT_HEADER, "")))

        def _send_response(self, code: int, body: str) -> None:
            data = body.encode()
            if code != 200:
                self.close_connection = True  # the rest of the request was not read
            self.send_response(code)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002  (the name in the base class)
            """Writes nothing: no call is logged."""

    return ThreadingHTTPServer(("127.0.0.1", port), Handler)


def load_token(path: str) -> str:
    """Returns the token in the file, created if there is none. Raises SettingsError for a file that others can read."""
    try:
        status = os.lstat(path)
    except FileNotFoundError:
        os.makedirs(os.path.dirname(path), 0o700, exist_ok=True)
        files.write_file(path, f"{secrets.token_urlsafe(32)}\n".encode(), mode=0o600)
        status = os.lstat(path)
    if not stat.S_ISREG(status.st_mode) or status.st_uid != effective_user() or status.st_mode & 0o077:
        raise SettingsError(path, "others could read it", "take it away, and start again: another token is made")
    with open(path, encoding="ascii") as file:
        return file.read().strip()

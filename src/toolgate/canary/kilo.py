"""The client of the proof for Kilo: OpenCode's, with every call approved, and without a daemon that would outlive it."""

from dataclasses import replace

from toolgate.hosts.kilo.settings import REGISTRATION

from .client import Launch, Prepared
from .opencode import build_client
from .scripted_server import ScriptedCall

_CLIENT = build_client("kilo", REGISTRATION, "--auto")


def _prepare(launch: Launch) -> Prepared:
    words, environ = _CLIENT.prepare(launch)
    return words, {**environ, "KILO_DISABLE_SESSION_INGEST": "1", "KILO_NO_DAEMON": "1", "KILO_TELEMETRY_LEVEL": "off"}


CLIENT = replace(
    _CLIENT,
    prepare=_prepare,
    background=lambda command: ScriptedCall("background_process", {"action": "start", "command": command}),
)

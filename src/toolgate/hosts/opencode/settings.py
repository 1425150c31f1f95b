"""Registers the gate with OpenCode: a plugin file of its own."""

from toolgate.hosts.formats.opencode_plugin import build_registration

from .places import PLACES
from .wire import WIRE

REGISTRATION = build_registration(WIRE, PLACES, "opencode", (1, 18), "openCodePlugin")

"""Registers the gate with Kilo: a plugin file of its own."""

from toolgate.hosts.formats.opencode_plugin import build_registration

from .places import PLACES
from .wire import WIRE

REGISTRATION = build_registration(WIRE, PLACES, "kilo", (7, 7), "kiloPlugin")

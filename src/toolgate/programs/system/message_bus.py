"""Programs that call a method over D-Bus: those of systemd and of its login manager do what `systemctl` does."""

from collections.abc import Iterator

from toolgate.model.effect import ReportedEffect, Run
from toolgate.model.execution_context import ExecutionContext
from toolgate.model.word import Word, known_word
from toolgate.programs.argv.program import Program, make_carrier

_VERBS = {
    **{f"{verb}Unit": verb.lower() for verb in ("Start", "Stop", "Restart", "Kill")},
    **{f"{verb}UnitFiles": verb.lower() for verb in ("Enable", "Disable", "Link", "Mask")},
    **{verb: verb.lower() for verb in ("Reboot", "Halt", "Suspend", "Hibernate")},
    "PowerOff": "poweroff",
}
"""The verb of `systemctl` for each method."""


def call_method(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    """`busctl call .. Manager StopUnit ss nginx.service replace`, `gdbus call .. --method ..Manager.Reboot false`."""
    if not any("org.freedesktop." in (word.text or "") for word in argv):
        return
    for n, word in enumerate(argv[1:], 1):
        verb = _VERBS.get((word.text or "").rpartition(".")[2])
        if verb is not None:
            units = [_find_unit(each) for each in argv[n + 1 :]]
            yield Run((known_word("systemctl"), known_word(verb), *filter(None, units)), context.origin, make_carrier(argv))


def _find_unit(word: Word) -> Word | None:
    """Returns the unit or the file that an argument names: `nginx.service`, `string:nginx.service`, `['/tmp/x.service']`."""
    text = (word.text or "").removeprefix("string:").strip("[]'\"")
    return known_word(text, word.src) if "." in text or "/" in text else None


ROWS: dict[str, Program] = dict.fromkeys(("busctl", "gdbus", "dbus-send"), Program(does=call_method))

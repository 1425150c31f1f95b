"""The scripts that are put into a project: as thin as possible, because a copy of any rule in them would become outdated.

The script itself refuses where the client ends with another code than 0 or 2: a host takes any other code for an approval.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from shlex import join, quote

from toolgate.designs.safety_hook.log import FAIL_CLOSED
from toolgate.machine.environment import SAFETY_LOG, SAFETY_LOG_VARIABLE

SCRIPT_TEMPLATE = """\
#!/bin/sh
# Hands every call to toolgate. Written by `toolgate {verb}`, which puts it back.
TOOLGATE_PROFILE=${{TOOLGATE_PROFILE:-{profile}}}
export TOOLGATE_PROFILE
{surroundings}{command} "${{1:-{host}}}" "${{2:-{event}}}"
code=$?
case $code in 0 | 2) exit "$code" ;; esac
why="toolgate cannot be started (exit $code of "{program}"); on a terminal of your own: toolgate doctor"
log=${{{variable}:-${{HOME:-}}/.claude/{log}}}
printf '%s {closed} "%s"\\n' "$(date -u +%Y-%m-%dT%H:%M:%SZ)" "$why" 2>/dev/null >>"$log"
printf 'The call is refused: %s\\n' "$why" >&2
exit 2
"""

PROJECT_LINES = """\
CLAUDE_PROJECT_DIR=${{CLAUDE_PROJECT_DIR:-{project}}}
export CLAUDE_PROJECT_DIR
"""
"""Where no host names the project of a call, it is the one that contains the script."""


@dataclass(frozen=True, slots=True)
class Script:
    """`verb` writes it, for `event` of `host` where it is called without arguments; `profile` joins the policy's. `surroundings`:
    more lines of the script, with `{project}` in them."""

    verb: str
    host: str
    event: str
    profile: str
    surroundings: str = ""

    def render(self, project: str, command: Sequence[str]) -> str:
        """`command` is what a host registers, before the host and the event."""
        return SCRIPT_TEMPLATE.format(
            verb=self.verb,
            profile=self.profile,
            surroundings=self.surroundings.format(project=quote(project)),
            command=join(command),
            program=quote(command[0]),
            host=self.host,
            event=self.event,
            variable=SAFETY_LOG_VARIABLE,
            log=SAFETY_LOG,
            closed=FAIL_CLOSED,
        )

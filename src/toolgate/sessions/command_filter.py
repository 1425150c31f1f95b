"""Wraps a shell command in the redaction filter: for hosts whose hooks do not see the output of a failed command.

The command runs unchanged, by `eval` in a subshell; its output goes through `toolgate redact`; its exit status and final
directory are passed back. Where standard output and standard error are the same file they share one filter, in order. A mark at
the end tells the filter that the command has ended, though a job of its own may still hold the pipe.
"""

import secrets
import shlex
import sys
from dataclasses import replace

from toolgate.judge import blocking_findings
from toolgate.model.action import RunShell
from toolgate.model.decision import Decision, RewrittenCommand, Verdict
from toolgate.model.event import PermissionRequested, ToolCall
from toolgate.model.rule import Policy

PRINT_RULE = "secrets.print"
WITHHOLDING_NOTE = "This prints a secret: it runs, but its output is withheld. Pipe the secret where it is needed instead."

_FILTER = [sys.executable, "-I", "-X", "utf8", "-m", "toolgate", "redact", "--until"]
_SCRIPT_HEAD = """\
__toolgate_c={command}
__toolgate_d=$(mktemp -d) || {{ echo 'toolgate: no folder for what the command leaves, so it was not run' >&2; exit 125; }}
"""
_SCRIPT_TAIL = r"""__toolgate_r() { (
trap 'printf "\0%s\0" {mark}; printf "\0%s\0" {mark} >&2' EXIT
[ -z "${ZSH_VERSION-}" ] || setopt multios
eval "$__toolgate_c"
__toolgate_s=$?; pwd -P >"$__toolgate_d/d"; exit "$__toolgate_s"
); echo "$?" >"$__toolgate_d/s"; }
if [ /dev/fd/1 -ef /dev/fd/2 ]; then __toolgate_r 2>&1 | {filter}
else (
[ -z "${ZSH_VERSION-}" ] || unsetopt multios
{ __toolgate_r 2>&1 >&8 8>&- 9>&- | {filter} >&9 8>&- 9>&-; } 8>&1 9>&2 | {filter} 8>&- 9>&-
); fi
__toolgate_s=$(cat "$__toolgate_d/s" 2>/dev/null || echo 137)
[ ! -s "$__toolgate_d/d" ] || cd -- "$(cat "$__toolgate_d/d")" || :
rm -rf -- "$__toolgate_d"; unset -f __toolgate_r; unset __toolgate_c __toolgate_d
(exit "$__toolgate_s")"""


def wrap_command(command: str, session: str, mark: str, *options: str) -> str:
    """`mark`: letters and digits that no output contains by chance. `options`: further ones of the filter."""
    words = [*_FILTER, mark, *options, *(("--session", session) if session else ())]
    return _render_script(command, shlex.join(words), mark)


def _render_script(command: str, filters: str, mark: str) -> str:
    tail = _SCRIPT_TAIL.replace("{mark}", mark).replace("{filter}", filters)
    return _SCRIPT_HEAD.format(command=shlex.quote(command)) + tail


def unwrap_command(text: str) -> str | None:
    """Returns the command in a script of `wrap_command`; None for any other text, also for a similar one."""
    if not text.startswith("__toolgate_c="):
        return None
    head, _, tail = text.rpartition("\n__toolgate_d=$(mktemp")
    filters = tail.partition("__toolgate_r 2>&1 | ")[2].partition("\nelse")[0]
    mark = filters.partition("--until ")[2].partition(" ")[0]
    if not mark.isalnum():
        return None
    try:
        command = shlex.split(head.partition("=")[2])
    except ValueError:
        return None
    is_own = len(command) == 1 and _is_own_filter(filters) and _render_script(command[0], filters, mark) == text
    return command[0] if is_own else None


def _is_own_filter(text: str) -> bool:
    """Returns whether the words call this installation's filter; later words do not matter."""
    try:
        words = shlex.split(text)
    except ValueError:
        return False
    return words[: len(_FILTER)] == _FILTER and len(words) > len(_FILTER)


def withhold_output(decision: Decision, event: ToolCall, policy: Policy) -> Decision:
    """Returns the decision to run a command with its output withheld, if it is stopped only for printing secrets."""
    stopping = blocking_findings(decision.findings, policy)
    is_shell = isinstance(event.action, RunShell) and event.action.language == "shell"
    if decision.verdict is not Verdict.ASK or not is_shell or any(each.rule != PRINT_RULE for each in stopping):
        return decision
    assert isinstance(event.action, RunShell)
    script = wrap_command(event.action.text, event.scene.caller.session, secrets.token_hex(8), "--withhold")
    return Decision(
        decision.judged,
        Verdict.WARN,
        decision.findings,
        (),
        tell_user=WITHHOLDING_NOTE,
        tell_agent=WITHHOLDING_NOTE,
        rewrite=RewrittenCommand(script),
    )


def filter_command(decision: Decision, event: ToolCall | PermissionRequested) -> Decision:
    """Returns the decision with the command run through the filter."""
    if not isinstance(event, ToolCall) or not isinstance(event.action, RunShell) or event.action.language != "shell":
        return decision
    text = decision.rewrite.command if isinstance(decision.rewrite, RewrittenCommand) else event.action.text
    if unwrap_command(text) is not None:
        return decision
    return replace(decision, rewrite=RewrittenCommand(wrap_command(text, event.scene.caller.session, secrets.token_hex(8))))

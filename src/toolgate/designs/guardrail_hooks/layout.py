"""The guardrail design's files: two thin scripts that call the gate, its starter rules, an empty log.

The design registers its script in a `hooks.json` that today's client never reads; the gate is registered in the settings that it
reads.
"""

import json
import os
import sys

HOOK_SCRIPT = '''#!/usr/bin/env python3
"""The guardrail hook: hands the call to toolgate, which judges it. Written by `toolgate install --layout guardrail`."""

import os
import sys

GATE = {command!r}

if __name__ == "__main__":
    event = sys.argv[1] if len(sys.argv) > 1 else "PreToolUse"
    try:
        os.execv(GATE[0], [*GATE, "claude-code", event])
    except OSError as problem:
        print(f"toolgate cannot be started ({{problem}}), so the call is refused", file=sys.stderr)
        sys.exit(2)
'''

CONFIRM_SCRIPT = '''#!/usr/bin/env python3
"""Confirms an operation that was stopped: `guardrail-confirm.py OPERATION`. Written by `toolgate install --layout guardrail`.

Whether an agent may do so is the policy's to say (`agent_may_confirm`); its user always may, by other ways.
"""

import os
import sys

PYTHON = {python!r}

if __name__ == "__main__":
    os.execv(PYTHON, [PYTHON, "-I", "-m", "toolgate", "confirm", *sys.argv[1:]])
'''

STARTER_RULES = {
    "version": 1,
    "safe_paths": ["~/.claude", "~/projects"],
    "blocked_paths": ["/etc", "/usr", "/var", "/boot", "/sys", "/proc", "~/.ssh", "~/.gnupg", "~/.aws"],
    "rules": {
        "bash": [
            {"pattern": "rm -rf /", "action": "block"},
            {"pattern": "rm -rf ~", "action": "block"},
            {"pattern": "rm -rf \\*", "action": "block"},
            {"pattern": "chmod -R 777", "action": "block"},
            {"pattern": ":(){ :|:& };:", "action": "block"},
            {"pattern": "mkfs\\.", "action": "block"},
            {"pattern": "dd if=.* of=/dev/", "action": "block"},
            {"pattern": "> /dev/sda", "action": "block"},
            {"pattern": "shutdown", "action": "confirm"},
            {"pattern": "reboot", "action": "confirm"},
            {"pattern": "systemctl (stop|disable|mask)", "action": "confirm"},
            {"pattern": "rm ", "action": "confirm", "outside_safe_paths": True},
            {"pattern": "kubectl delete", "action": "confirm"},
            {"pattern": "docker rm", "action": "confirm"},
        ],
        "write": [
            {"path_patterns": ["blocked_paths"], "action": "block"},
            {"path_patterns": ["outside_safe_paths"], "action": "confirm"},
        ],
        "edit": [
            {"path_patterns": ["blocked_paths"], "action": "block"},
            {"path_patterns": ["outside_safe_paths"], "action": "confirm"},
        ],
    },
}
"""The design's own starter rules, word for word."""


def pieces(command: tuple[str, ...]) -> dict[str, str]:
    """Returns the files of the layout. `command`: the registered command, to be followed by the host and the event."""
    return {
        "hooks/scripts/guardrail.py": HOOK_SCRIPT.format(command=list(command)),
        "hooks/scripts/guardrail-confirm.py": CONFIRM_SCRIPT.format(python=os.path.abspath(sys.executable)),
        "state/guardrails.json": json.dumps(STARTER_RULES, indent=2) + "\n",
        "logs/guardrail.jsonl": "",
    }

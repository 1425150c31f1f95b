"""Calls the hook's client as another user:

`ask.py CLIENT USER GROUPS COMMAND [EVENT]`. It prints the verdict, then the complete answer. GROUPS are numbers separated by
commas, `-` for none. The hook runs in the directory in which this is started.
"""

import json
import os
import subprocess
import sys

if __name__ == "__main__":
    client, user, groups, command, *event = sys.argv[1:]
    name = event[0] if event else "PreToolUse"
    payload = {
        "session_id": f"of-{user}",
        "cwd": os.getcwd(),
        "hook_event_name": name,
        "tool_name": "Bash",
        "tool_input": {"command": command},
        "tool_use_id": "t",
        "tool_response": {"stdout": "x", "stderr": ""},
    }
    done = subprocess.run(
        [*client.split(), "claude-code", name],
        input=json.dumps(payload).encode(),
        capture_output=True,
        env={"HOME": os.getcwd(), "PATH": "/usr/bin:/bin", "CLAUDE_CODE_ENTRYPOINT": "cli"},
        user=int(user),
        group=int(user),
        extra_groups=[int(each) for each in groups.split(",") if each != "-"],
        check=False,
        timeout=30,
    )
    said = json.loads(done.stdout) if done.stdout else {}
    verdict = said.get("hookSpecificOutput", {}).get("permissionDecision", "pass" if done.returncode == 0 else "no answer")
    print(verdict, done.returncode, json.dumps(said), done.stderr.decode().replace("\n", " "), flush=True)

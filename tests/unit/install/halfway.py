"""A caller that sends the second half of its request once the file `go` exists:

`halfway.py SOCKET USER COMMAND`. It creates the file `half` after the first half, and prints the answer.
"""

import json
import os
import socket
import sys
import time
from pathlib import Path

from toolgate.machine.build import installed_build
from toolgate.transport.frames import QUESTION, REPLY

if __name__ == "__main__":
    path, user, command = sys.argv[1:]
    call = {
        "cwd": "/",
        "session_id": "s",
        "hook_event_name": "PreToolUse",
        "tool_name": "Bash",
        "tool_input": {"command": command},
    }
    parts = (b"claude-code", b"PreToolUse", b"/", b"HOME=/tmp\0CLAUDE_CODE_ENTRYPOINT=cli\0", json.dumps(call).encode())
    head = QUESTION.pack(b"TGQ1", installed_build().encode(), int(time.time() * 1e6), int(user), 8000, *map(len, parts))
    os.setresuid(int(user), int(user), int(user))
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as conversation:
        conversation.connect(path)
        conversation.sendall(head)
        Path("half").touch()
        while not Path("go").exists():
            time.sleep(0.02)
        try:
            conversation.sendall(b"".join(parts))
            print(conversation.makefile("rb").read()[REPLY.size :].decode())
        except OSError as problem:
            print(problem)

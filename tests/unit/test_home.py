"""Tests a call whose environment does not say where the home folder is."""

import json
import os
import pwd

from toolgate.app import App
from toolgate.model.request import Request


def answer_command(command: str, environ: dict[str, str]) -> str:
    payload = {"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": command}, "cwd": "/tmp"}
    request = Request("claude-code", "PreToolUse", json.dumps(payload).encode(), environ, "/tmp", os.getuid(), 0.0)
    return App().handle(request).stdout


def test_the_home_folder_is_that_of_the_account() -> None:
    home = pwd.getpwuid(os.getuid()).pw_dir
    for command in ("rm -rf ~", "rm -rf $HOME", f"rm -rf {home}"):
        assert "filesystem.delete-protected" in answer_command(command, {}), command
        assert answer_command(command, {}) == answer_command(command, {"HOME": home})

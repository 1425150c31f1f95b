"""A program with the Claude Agent SDK and the gate in it: its first argument says what to do."""

import asyncio
import json
import sys
from typing import Any

from claude_agent_sdk import ClaudeAgentOptions, ClaudeSDKClient, PermissionResultAllow

from toolgate.api import Spawn
from toolgate.sdk.claude import Guard


async def main(wanted: dict[str, Any]) -> None:
    notices: list[str] = []
    asked_tools: list[str] = []

    async def approve(tool: str, _given: Any, _context: Any) -> Any:
        asked_tools.append(tool)
        return PermissionResultAllow()

    guard = Guard(
        profile=wanted.get("profile", ""),
        spawn=Spawn(**wanted.get("spawn", {})),
        project=wanted["project"],
        environ=wanted["environ"],
        on_notice=notices.append,
        permission=approve if wanted.get("yes") else None,
    )
    options = ClaudeAgentOptions(
        **guard.options(),
        cli_path=wanted["program"],
        env=wanted["environ"],
        setting_sources=[],
        permission_mode="bypassPermissions",
    )
    async with ClaudeSDKClient(options) as client:
        await client.query("go")
        async for _ in client.receive_response():
            pass
    print(json.dumps({"notices": notices, "asked": asked_tools}))


asyncio.run(main(json.loads(sys.argv[1])))

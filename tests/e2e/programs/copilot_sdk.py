"""A program with the Copilot SDK and the gate in it: its first argument says what to do."""

import asyncio
import json
import sys
from typing import Any

from copilot import CopilotClient
from copilot.client import RuntimeConnection
from copilot.rpc import PermissionDecisionApproveOnce

from toolgate.api import Spawn
from toolgate.sdk.copilot import Guard


async def main(wanted: dict[str, Any]) -> None:
    notices: list[str] = []
    asked_tools: list[str] = []

    def approve(request: Any, _invocation: Any) -> Any:
        asked_tools.append(request.kind)
        return PermissionDecisionApproveOnce()

    def answer_question(_request: Any, _invocation: Any) -> dict[str, Any]:
        return {"answer": wanted.get("answer", ""), "wasFreeform": True}

    guard = Guard(
        profile=wanted.get("profile", ""),
        spawn=Spawn(**wanted.get("spawn", {})),
        project=wanted["project"],
        environ=wanted["environ"],
        on_notice=notices.append,
        permission=approve if wanted.get("yes") else None,
        user_input=answer_question,
    )
    client = CopilotClient(
        connection=RuntimeConnection.for_stdio(path=wanted["program"]),
        working_directory=wanted["project"],
        env=wanted["environ"],
        use_logged_in_user=False,
    )
    await client.start()
    model = wanted.get("kind", "scripted")
    provider = {"type": "openai", "wire_api": "completions", "base_url": wanted["model"], "api_key": "no-key", "model_id": model}
    options: dict[str, Any] = {**guard.session(), "model": model, "provider": provider, "streaming": True}
    if "servers" in wanted:
        options["mcp_servers"] = wanted["servers"]
    if wanted.get("no_hooks"):
        del options["hooks"]
        options["on_user_input_request"] = answer_question
    session = await client.create_session(**options)
    if wanted.get("resumed"):
        await session.send_and_wait("go", timeout=60)
        name = session.session_id
        await session.disconnect()
        session = await client.resume_session(name, **options)
    await session.send_and_wait("go", timeout=60)
    await session.disconnect()
    await client.stop()
    print(json.dumps({"notices": notices, "asked": asked_tools, "unjudged": guard.unjudged}))


asyncio.run(main(json.loads(sys.argv[1])))

"""An MCP server with one tool, on standard input and output."""

import json
import sys
from pathlib import Path

TOOL = {"name": "peek", "description": "peek", "inputSchema": {"type": "object", "properties": {"path": {"type": "string"}}}}


def reply(method: str, params: dict[str, object]) -> dict[str, object]:
    if method == "initialize":
        server = {"name": "stub", "version": "1"}
        return {"protocolVersion": params["protocolVersion"], "capabilities": {"tools": {}}, "serverInfo": server}
    if method == "tools/list":
        return {"tools": [TOOL]}
    if method == "tools/call":
        path = Path(str((params.get("arguments") or {}).get("path", "")))  # type: ignore[attr-defined]
        text = path.read_text() if path.is_file() else "SECRET from a server"
        return {"content": [{"type": "text", "text": text}]}
    return {}


for line in sys.stdin:
    message = json.loads(line)
    if "id" in message:
        result = reply(message.get("method", ""), message.get("params") or {})
        print(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result}), flush=True)

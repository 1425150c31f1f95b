"""The MCP server of a proof, on standard input and output: a tool that reads a file, and one that writes a file."""

import json
import sys
from pathlib import Path

TEXT = {"type": "string"}
TOOLS = (
    {"name": "peek", "description": "read a file", "inputSchema": {"type": "object", "properties": {"path": TEXT}}},
    {
        "name": "write_file",
        "description": "write a file",
        "inputSchema": {"type": "object", "properties": {"path": TEXT, "content": TEXT}},
    },
)


def answer_method(method: str, parameters: dict[str, object]) -> dict[str, object]:
    if method == "initialize":
        server = {"name": "stub", "version": "1"}
        return {"protocolVersion": parameters["protocolVersion"], "capabilities": {"tools": {}}, "serverInfo": server}
    if method == "tools/list":
        return {"tools": TOOLS}
    if method == "tools/call":
        arguments = parameters.get("arguments")
        fields = arguments if isinstance(arguments, dict) else {}
        return {"content": [{"type": "text", "text": _call_tool(parameters.get("name"), fields)}]}
    return {}


def _call_tool(name: object, fields: dict[str, object]) -> str:
    path = Path(str(fields.get("path", "")))
    if name == "write_file":
        path.write_text(str(fields.get("content", "")))
        return "written"
    return path.read_text() if path.is_file() else "SECRET from a server"


def serve() -> None:
    for line in sys.stdin:
        message = json.loads(line)
        if "id" in message:
            result = answer_method(message.get("method", ""), message.get("params") or {})
            sys.stdout.write(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result}) + "\n")
            sys.stdout.flush()


if __name__ == "__main__":
    serve()

"""A scripted model: the Responses API on loopback, as far as Codex uses it."""

import json
from collections.abc import Iterator, Mapping, Sequence
from http.server import BaseHTTPRequestHandler

from .scripted_server import Block, CallResult, JsonHandler, ScriptedCall, ScriptedServer, ScriptedTurn, content_text

MODEL = "gpt-5.5"
"""A model of the client's own list that calls its tools directly, not from a script."""
FREEFORM_TOOLS = ("apply_patch", "exec")
"""Tools that take plain text. A tool in a namespace (such as a server's) is `namespace.tool`."""
REFUSALS = ("Command blocked", "Tool call blocked")


class ScriptedResponses(ScriptedServer):
    PREFIX = "call_scripted_"

    def __init__(self, turns: Sequence[ScriptedTurn], threads: Mapping[str, Sequence[ScriptedTurn]] | None = None) -> None:
        super().__init__(turns, threads or {})
        self.url += "/v1"

    def call_results(self, thread: str = "") -> list[CallResult]:
        longest = self.longest_conversation(thread)
        uses = {item["call_id"]: _call_of_item(item) for item in _iter_calls(longest)}
        found = []
        for item in longest:
            if str(item.get("type", "")).endswith("_call_output") and item["call_id"] in uses:
                use, text = uses[item["call_id"]], content_text(item["output"])
                found.append(CallResult(use.tool, use.input, text.startswith(REFUSALS), text))
        return found

    def answer_request(self, request: Block) -> list[Block]:
        """Answers a request. Side requests come without tools: they get text, and are no part of the script."""
        items = request.get("input") or []
        if not request.get("tools") and not any(item.get("type") == "additional_tools" for item in items):
            return [_build_message("ok")]
        prompts = [content_text(item.get("content")) for item in items if item.get("role") == "user"]
        request["messages"] = [{"role": "user", "content": "\n".join(prompts)}, *items]
        waits = str(items[-1].get("type", "")).endswith("_call_output")
        calls = self._next_calls(request, (item["call_id"] for item in _iter_calls(items)), only_results=waits)
        return [_tool_call(number, use) for number, use in calls] or [_build_message("done")]

    def _build_handler(self) -> type[BaseHTTPRequestHandler]:
        model = self

        class Responses(JsonHandler):
            def do_GET(self) -> None:
                self.send_body(200, {"object": "list", "data": [{"id": MODEL, "object": "model"}], "models": []})

            def do_POST(self) -> None:
                self.send_body(200, "".join(_iter_events(model.answer_request(self.read_body()))))

        return Responses


def _build_message(text: str) -> Block:
    return {"type": "message", "role": "assistant", "id": "msg_scripted", "content": [{"type": "output_text", "text": text}]}


def _tool_call(number: str, use: ScriptedCall) -> Block:
    namespace, _, name = use.tool.rpartition(".")
    item: Block = {"id": f"item_{number}", "call_id": number, "name": name, **({"namespace": namespace} if namespace else {})}
    if name in FREEFORM_TOOLS:
        return {**item, "type": "custom_tool_call", "input": use.input["text"]}
    return {**item, "type": "function_call", "arguments": json.dumps(dict(use.input))}


def _call_of_item(item: Block) -> ScriptedCall:
    """Returns a call as the client repeats it."""
    if item["type"] == "custom_tool_call":
        return ScriptedCall(item["name"], {"text": item["input"]})
    return ScriptedCall(item["name"], json.loads(item["arguments"]))


def _iter_calls(items: Sequence[Block]) -> Iterator[Block]:
    for item in items:
        if item.get("type") in ("function_call", "custom_tool_call"):
            yield item


def _iter_events(items: list[Block]) -> Iterator[str]:
    usage = {
        "input_tokens": 10,
        "input_tokens_details": {"cached_tokens": 0},
        "output_tokens": 5,
        "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": 15,
    }
    yield _format_event({"type": "response.created", "response": {"id": "response_scripted"}})
    for place, item in enumerate(items):
        for happened in ("added", "done"):
            yield _format_event({"type": f"response.output_item.{happened}", "output_index": place, "item": item})
    response = {"id": "response_scripted", "status": "completed", "output": items, "usage": usage}
    yield _format_event({"type": "response.completed", "response": response})


def _format_event(event: Block) -> str:
    return f"event: {event['type']}\ndata: {json.dumps(event)}\n\n"

"""A scripted model: the Responses API on loopback, as far as Codex uses it."""

import json
from collections.abc import Iterator, Mapping, Sequence
from http.server import BaseHTTPRequestHandler

from .script import Block, Handler, Result, Script, Turn, Use, text_of

MODEL = "gpt-5.5"
"""A model of the client's own list that calls its tools directly, not from a script."""
FREEFORM = ("apply_patch", "exec")
"""Tools that take plain text. A tool in a namespace (such as a server's) is `namespace.tool`."""
REFUSALS = ("Command blocked", "Tool call blocked")


class ScriptedResponses(Script):
    PREFIX = "call_scripted_"

    def __init__(self, turns: Sequence[Turn], threads: Mapping[str, Sequence[Turn]] | None = None) -> None:
        super().__init__(turns, threads or {})
        self.url += "/v1"

    def results(self, thread: str = "") -> list[Result]:
        longest = self.longest(thread)
        uses = {item["call_id"]: _use(item) for item in _calls(longest)}
        found = []
        for item in longest:
            if str(item.get("type", "")).endswith("_call_output") and item["call_id"] in uses:
                use, text = uses[item["call_id"]], text_of(item["output"])
                found.append(Result(use.tool, use.input, text.startswith(REFUSALS), text))
        return found

    def answer(self, request: Block) -> list[Block]:
        """Answer a request. Side requests come without tools: they get text, and are no part of the script."""
        items = request.get("input") or []
        if not request.get("tools") and not any(item.get("type") == "additional_tools" for item in items):
            return [_message("ok")]
        prompts = [text_of(item.get("content")) for item in items if item.get("role") == "user"]
        request["messages"] = [{"role": "user", "content": "\n".join(prompts)}, *items]
        waits = str(items[-1].get("type", "")).endswith("_call_output")
        calls = self._next(request, (item["call_id"] for item in _calls(items)), only_results=waits)
        return [_call(number, use) for number, use in calls] or [_message("done")]

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        model = self

        class Responses(Handler):
            def do_GET(self) -> None:
                self.send(200, {"object": "list", "data": [{"id": MODEL, "object": "model"}], "models": []})

            def do_POST(self) -> None:
                self.send(200, "".join(_events(model.answer(self.body()))))

        return Responses


def _message(text: str) -> Block:
    return {"type": "message", "role": "assistant", "id": "msg_scripted", "content": [{"type": "output_text", "text": text}]}


def _call(number: str, use: Use) -> Block:
    namespace, _, name = use.tool.rpartition(".")
    whole: Block = {"id": f"item_{number}", "call_id": number, "name": name, **({"namespace": namespace} if namespace else {})}
    if name in FREEFORM:
        return {**whole, "type": "custom_tool_call", "input": use.input["text"]}
    return {**whole, "type": "function_call", "arguments": json.dumps(dict(use.input))}


def _use(item: Block) -> Use:
    """Return a call as the client repeats it."""
    if item["type"] == "custom_tool_call":
        return Use(item["name"], {"text": item["input"]})
    return Use(item["name"], json.loads(item["arguments"]))


def _calls(items: Sequence[Block]) -> Iterator[Block]:
    for item in items:
        if item.get("type") in ("function_call", "custom_tool_call"):
            yield item


def _events(items: list[Block]) -> Iterator[str]:
    usage = {
        "input_tokens": 10,
        "input_tokens_details": {"cached_tokens": 0},
        "output_tokens": 5,
        "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": 15,
    }
    yield _event({"type": "response.created", "response": {"id": "response_scripted"}})
    for place, item in enumerate(items):
        for happened in ("added", "done"):
            yield _event({"type": f"response.output_item.{happened}", "output_index": place, "item": item})
    whole = {"id": "response_scripted", "status": "completed", "output": items, "usage": usage}
    yield _event({"type": "response.completed", "response": whole})


def _event(event: Block) -> str:
    return f"event: {event['type']}\ndata: {json.dumps(event)}\n\n"

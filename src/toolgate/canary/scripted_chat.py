"""A scripted model: the chat completions API on loopback, as far as Copilot uses it."""

import json
from collections.abc import Iterator, Mapping, Sequence
from http.server import BaseHTTPRequestHandler

from .scripted_server import Block, CallResult, JsonHandler, ScriptedCall, ScriptedServer, ScriptedTurn, content_text

MODEL = "scripted"


class ScriptedChat(ScriptedServer):
    PREFIX = "call_scripted_"

    def __init__(self, turns: Sequence[ScriptedTurn], threads: Mapping[str, Sequence[ScriptedTurn]] | None = None) -> None:
        super().__init__(turns, threads or {})
        self.url += "/v1"

    def call_results(self, thread: str = "") -> list[CallResult]:
        longest = self.longest_conversation(thread)
        uses = {call["id"]: _call_of_message(call) for call in _iter_calls(longest)}
        found = []
        for message in longest:
            use = uses.get(message.get("tool_call_id", "")) if message.get("role") == "tool" else None
            if use is not None:
                text = content_text(message.get("content"))
                found.append(CallResult(use.tool, use.input, text.startswith(REFUSALS), text))
        return found

    def answer_request(self, request: Block) -> Block:
        """Answers a request. Titles and summaries come without tools, and are no part of the script."""
        if not request.get("tools"):
            return {"role": "assistant", "content": "ok"}
        messages = request["messages"]
        waits = messages[-1].get("role") == "tool"
        calls = self._next_calls(request, (call["id"] for call in _iter_calls(messages)), only_results=waits)
        made: Block = {"role": "assistant", "content": "" if calls else "done"}
        return {**made, "tool_calls": [_tool_call(number, use) for number, use in calls]} if calls else made

    def _build_handler(self) -> type[BaseHTTPRequestHandler]:
        model = self

        class Completions(JsonHandler):
            def do_GET(self) -> None:
                self.send_body(200, {"object": "list", "data": [{"id": MODEL, "object": "model"}]})

            def do_POST(self) -> None:
                request = self.read_body()
                message = model.answer_request(request)
                self.send_body(200, "".join(_iter_events(message)) if request.get("stream") else _completion(message))

        return Completions


REFUSALS = ("Denied by", "Permission denied", "The user rejected", "Tool result blocked")
"""How Copilot's messages to its model begin for a call that did not run, or a result that was withheld."""


def _tool_call(number: str, use: ScriptedCall) -> Block:
    """Returns a call. The tool for patches takes its text as it is, unlike other tools."""
    arguments = use.input["patch"] if use.tool == "apply_patch" else json.dumps(dict(use.input))
    return {"id": number, "type": "function", "function": {"name": use.tool, "arguments": arguments}}


def _completion(message: Block) -> Block:
    ended = "tool_calls" if "tool_calls" in message else "stop"
    return {
        "id": "chat-1",
        "object": "chat.completion",
        "created": 0,
        "model": MODEL,
        "choices": [{"index": 0, "message": message, "finish_reason": ended}],
        "usage": {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15},
    }


def _iter_events(message: Block) -> Iterator[str]:
    calls = [{"index": place, **call} for place, call in enumerate(message.get("tool_calls", ()))]
    delta = {"role": "assistant", "content": message["content"], **({"tool_calls": calls} if calls else {})}
    for delta_part, ended in ((delta, None), ({}, "tool_calls" if calls else "stop")):
        chunk = {**_completion(message), "object": "chat.completion.chunk"}
        yield f"data: {json.dumps({**chunk, 'choices': [{'index': 0, 'delta': delta_part, 'finish_reason': ended}]})}\n\n"
    yield "data: [DONE]\n\n"


def _iter_calls(messages: list[Block]) -> Iterator[Block]:
    for message in messages:
        yield from message.get("tool_calls") or ()


def _call_of_message(call: Block) -> ScriptedCall:
    """Returns a call as the client repeats it; calls with plain text have another form than they were made in."""
    if "custom" in call:
        return ScriptedCall(call["custom"]["name"], {"patch": call["custom"]["input"]})
    return ScriptedCall(call["function"]["name"], json.loads(call["function"]["arguments"]))

"""A scripted model: the chat completions API on loopback, as far as Copilot uses it."""

import json
from collections.abc import Iterator, Mapping, Sequence
from http.server import BaseHTTPRequestHandler

from .script import Block, Handler, Result, Script, Turn, Use, text_of

MODEL = "scripted"


class ScriptedChat(Script):
    PREFIX = "call_scripted_"

    def __init__(self, turns: Sequence[Turn], threads: Mapping[str, Sequence[Turn]] | None = None) -> None:
        super().__init__(turns, threads or {})
        self.url += "/v1"

    def results(self, thread: str = "") -> list[Result]:
        longest = self.longest(thread)
        uses = {call["id"]: _use(call) for call in _calls(longest)}
        found = []
        for message in longest:
            use = uses.get(message.get("tool_call_id", "")) if message.get("role") == "tool" else None
            if use is not None:
                text = text_of(message.get("content"))
                found.append(Result(use.tool, use.input, text.startswith(REFUSALS), text))
        return found

    def answer(self, request: Block) -> Block:
        """Answer a request. Titles and summaries come without tools, and are no part of the script."""
        if not request.get("tools"):
            return {"role": "assistant", "content": "ok"}
        messages = request["messages"]
        waits = messages[-1].get("role") == "tool"
        calls = self._next(request, (call["id"] for call in _calls(messages)), only_results=waits)
        made: Block = {"role": "assistant", "content": "" if calls else "done"}
        return {**made, "tool_calls": [_call(number, use) for number, use in calls]} if calls else made

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        model = self

        class Completions(Handler):
            def do_GET(self) -> None:
                self.send(200, {"object": "list", "data": [{"id": MODEL, "object": "model"}]})

            def do_POST(self) -> None:
                request = self.body()
                message = model.answer(request)
                self.send(200, "".join(_events(message)) if request.get("stream") else _whole(message))

        return Completions


REFUSALS = ("Denied by", "Permission denied", "The user rejected", "Tool result blocked")
"""How Copilot's messages to its model begin for a call that did not run, or a result that was withheld."""


def _call(number: str, use: Use) -> Block:
    """Return a call. The tool for patches takes its text as it is, unlike other tools."""
    arguments = use.input["patch"] if use.tool == "apply_patch" else json.dumps(dict(use.input))
    return {"id": number, "type": "function", "function": {"name": use.tool, "arguments": arguments}}


def _whole(message: Block) -> Block:
    ended = "tool_calls" if "tool_calls" in message else "stop"
    return {
        "id": "chat-1",
        "object": "chat.completion",
        "created": 0,
        "model": MODEL,
        "choices": [{"index": 0, "message": message, "finish_reason": ended}],
        "usage": {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15},
    }


def _events(message: Block) -> Iterator[str]:
    calls = [{"index": place, **call} for place, call in enumerate(message.get("tool_calls", ()))]
    delta = {"role": "assistant", "content": message["content"], **({"tool_calls": calls} if calls else {})}
    for said, ended in ((delta, None), ({}, "tool_calls" if calls else "stop")):
        whole = {**_whole(message), "object": "chat.completion.chunk"}
        yield f"data: {json.dumps({**whole, 'choices': [{'index': 0, 'delta': said, 'finish_reason': ended}]})}\n\n"
    yield "data: [DONE]\n\n"


def _calls(messages: list[Block]) -> Iterator[Block]:
    for message in messages:
        yield from message.get("tool_calls") or ()


def _use(call: Block) -> Use:
    """Return a call as the client repeats it; calls with plain text have another form than they were made in."""
    if "custom" in call:
        return Use(call["custom"]["name"], {"patch": call["custom"]["input"]})
    return Use(call["function"]["name"], json.loads(call["function"]["arguments"]))

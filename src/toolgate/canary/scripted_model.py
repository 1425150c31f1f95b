"""A scripted model: the Messages API on loopback, as far as Claude Code uses it."""

import json
import uuid
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler

from .scripted_server import Block, CallResult, JsonHandler, ScriptedServer, content_text


class ScriptedModel(ScriptedServer):
    PREFIX = "toolu_scripted_"

    def call_results(self, thread: str = "") -> list[CallResult]:
        longest = self.longest_conversation(thread)
        uses = {block["id"]: block for block in _iter_blocks(longest, "tool_use")}
        found = []
        for block in _iter_blocks(longest, "tool_result"):
            use = uses[block["tool_use_id"]]
            found.append(CallResult(use["name"], use["input"], bool(block.get("is_error")), content_text(block.get("content"))))
        return found

    def answer_request(self, request: Block) -> list[Block]:
        """Answers a request. Side requests (titles, summaries) come without tools: they get text, and are not in the script."""
        if not request.get("tools"):
            return [{"type": "text", "text": "ok"}]
        messages = request["messages"]
        done = (use["id"] for use in _iter_blocks(messages, "tool_use"))
        calls = self._next_calls(request, done, only_results=_ends_with_results(messages))
        made = [{"type": "tool_use", "id": number, "name": use.tool, "input": dict(use.input)} for number, use in calls]
        return made or [{"type": "text", "text": "done"}]

    def _build_handler(self) -> type[BaseHTTPRequestHandler]:
        model = self

        class Messages(JsonHandler):
            def do_HEAD(self) -> None:
                self.send_body(200, {})

            def do_GET(self) -> None:
                self.send_body(404, {})

            def do_POST(self) -> None:
                request = self.read_body()
                path = self.path.partition("?")[0]
                if path.endswith("/count_tokens"):
                    self.send_body(200, {"input_tokens": 10})
                elif path != "/v1/messages":
                    self.send_body(404, {"type": "error", "error": {"type": "not_found_error", "message": path}})
                else:
                    message = _build_message(str(request.get("model")), model.answer_request(request))
                    stream = (f"event: {event['type']}\ndata: {json.dumps(event)}\n\n" for event in _iter_events(message))
                    self.send_body(200, "".join(stream) if request.get("stream") else message)

        return Messages


def _ends_with_results(messages: list[Block]) -> bool:
    """Returns whether the user has written nothing since the last calls."""
    last = next((message for message in reversed(messages) if message.get("role") == "user"), {})
    return any(_iter_blocks([last], "tool_result"))


def _build_message(model: str, blocks: list[Block]) -> Block:
    calls = any(block["type"] == "tool_use" for block in blocks)
    return {
        "id": f"msg_{uuid.uuid4().hex}",  # the client joins messages with the same id
        "type": "message",
        "role": "assistant",
        "model": model,
        "content": blocks,
        "stop_reason": "tool_use" if calls else "end_turn",
        "stop_sequence": None,
        "usage": {"input_tokens": 10, "output_tokens": 10, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0},
    }


def _iter_events(message: Block) -> Iterator[Block]:
    yield {"type": "message_start", "message": {**message, "content": [], "stop_reason": None}}
    for index, block in enumerate(message["content"]):
        if block["type"] == "text":
            start: Block = {"type": "text", "text": ""}
            delta: Block = {"type": "text_delta", "text": block["text"]}
        else:
            start = {**block, "input": {}}
            delta = {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
        yield {"type": "content_block_start", "index": index, "content_block": start}
        yield {"type": "content_block_delta", "index": index, "delta": delta}
        yield {"type": "content_block_stop", "index": index}
    yield {
        "type": "message_delta",
        "delta": {"stop_reason": message["stop_reason"], "stop_sequence": None},
        "usage": message["usage"],
    }
    yield {"type": "message_stop"}


def _iter_blocks(messages: list[Block], kind: str) -> Iterator[Block]:
    for message in messages:
        content = message.get("content")
        for block in content if isinstance(content, list) else ():
            if block.get("type") == kind:
                yield block

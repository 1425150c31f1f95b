"""A model that says what was written down for it: the Messages API on loopback, as far as Claude Code speaks it.

Where a conversation stands is read from the conversation itself (which of our tool calls it holds), so that the client may
repeat a request. What the model is told is what a proof looks at: the results of its calls, and all the rest it reads.
"""

import json
import threading
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Block = dict[str, Any]
PREFIX = "toolu_scripted_"


@dataclass(frozen=True)
class Use:
    tool: str
    input: Mapping[str, object]


@dataclass(frozen=True)
class Turn:
    """What the model does next, all at once. `before` runs once, just before it is said. `pauses`: then it waits for its user."""

    uses: tuple[Use, ...]
    before: Callable[[], object] | None = None
    pauses: bool = False


@dataclass(frozen=True)
class Result:
    """What came back for one call."""

    tool: str
    input: Mapping[str, object]
    refused: bool
    text: str


class ScriptedModel:
    """`threads`: a conversation whose first message holds the key plays that script instead (subagents)."""

    def __init__(self, turns: Sequence[Turn], threads: Mapping[str, Sequence[Turn]]) -> None:
        self.scripts = {"": turns, **threads}
        self.requests: list[Block] = []
        self._begun: set[tuple[str, int]] = set()
        self._lock = threading.Lock()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"

    def __enter__(self) -> "ScriptedModel":
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *exc: object) -> None:
        self._server.shutdown()
        self._server.server_close()

    # What the model was told.

    @property
    def heard(self) -> str:
        """Everything it ever read."""
        return json.dumps([request["messages"] for request in self.requests])

    def asked(self, thread: str = "") -> list[list[Block]]:
        """What it was sent, each time it was asked to go on."""
        return [request["messages"] for request in self.requests if self._thread(request["messages"]) == thread]

    def results(self, thread: str = "") -> list[Result]:
        longest: list[Block] = max(self.asked(thread), key=len, default=[])
        uses = {block["id"]: block for block in _blocks(longest, "tool_use")}
        found = []
        for block in _blocks(longest, "tool_result"):
            use = uses[block["tool_use_id"]]
            found.append(Result(use["name"], use["input"], bool(block.get("is_error")), _text(block.get("content"))))
        return found

    # What it says.

    def _thread(self, messages: list[Block]) -> str:
        first = json.dumps(messages[:1])
        return next((name for name in self.scripts if name and name in first), "")

    def _says(self, request: Block) -> list[Block]:
        messages = request["messages"]
        thread = self._thread(messages)
        done = [use["id"] for use in _blocks(messages, "tool_use") if use["id"].startswith(f"{PREFIX}{thread}_")]
        number = max((int(each.rsplit("_", 2)[1]) for each in done), default=-1) + 1
        script = self.scripts[thread]
        if number >= len(script) or (number and script[number - 1].pauses and _heard_only_results(messages)):
            return [{"type": "text", "text": "done"}]
        turn = script[number]
        with self._lock:
            first = (thread, number) not in self._begun
            self._begun.add((thread, number))
        if first and turn.before:
            turn.before()
        return [
            {"type": "tool_use", "id": f"{PREFIX}{thread}_{number}_{place}", "name": use.tool, "input": dict(use.input)}
            for place, use in enumerate(turn.uses)
        ]

    def answer(self, request: Block) -> list[Block]:
        """Side requests (titles, summaries) bring no tools: they are answered with text and are no part of the script."""
        if not request.get("tools"):
            return [{"type": "text", "text": "ok"}]
        with self._lock:
            self.requests.append(request)
        return self._says(request)

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        model = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *words: object) -> None:
                pass

            def do_HEAD(self) -> None:
                self._send(200, {})

            def do_GET(self) -> None:
                self._send(404, {})

            def do_POST(self) -> None:
                request = json.loads(self.rfile.read(int(self.headers.get("content-length") or 0)) or b"{}")
                path = self.path.partition("?")[0]
                if path.endswith("/count_tokens"):
                    self._send(200, {"input_tokens": 10})
                elif path != "/v1/messages":
                    self._send(404, {"type": "error", "error": {"type": "not_found_error", "message": path}})
                else:
                    self._speak(request, model.answer(request))

            def _speak(self, request: Block, blocks: list[Block]) -> None:
                message = _message(str(request.get("model")), blocks)
                if not request.get("stream"):
                    self._send(200, message)
                    return
                stream = "".join(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n" for event in _stream(message))
                self._send(200, stream)

            def _send(self, status: int, body: Block | str) -> None:
                raw = (body if isinstance(body, str) else json.dumps(body)).encode()
                self.send_response(status)
                self.send_header("content-type", "text/event-stream" if isinstance(body, str) else "application/json")
                self.send_header("content-length", str(len(raw)))
                self.end_headers()
                if self.command != "HEAD":
                    self.wfile.write(raw)

        return Handler


def _heard_only_results(messages: list[Block]) -> bool:
    """Has its user said nothing since its last calls?"""
    last = next((message for message in reversed(messages) if message.get("role") == "user"), {})
    return any(_blocks([last], "tool_result"))


def _message(model: str, blocks: list[Block]) -> Block:
    calls = any(block["type"] == "tool_use" for block in blocks)
    return {
        "id": f"msg_{uuid.uuid4().hex}",  # the client joins messages of one id
        "type": "message",
        "role": "assistant",
        "model": model,
        "content": blocks,
        "stop_reason": "tool_use" if calls else "end_turn",
        "stop_sequence": None,
        "usage": {"input_tokens": 10, "output_tokens": 10, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0},
    }


def _stream(message: Block) -> Iterator[Block]:
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


def _blocks(messages: list[Block], kind: str) -> Iterator[Block]:
    for message in messages:
        content = message.get("content")
        for block in content if isinstance(content, list) else ():
            if block.get("type") == kind:
                yield block


def _text(content: object) -> str:
    if isinstance(content, list):
        return "\n".join(str(block.get("text", "")) for block in content)
    return str(content)

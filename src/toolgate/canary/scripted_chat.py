"""A model that says what was written down for it: the chat completions API on loopback, as far as Copilot speaks it.

Where a conversation stands is read from the conversation itself, so that the client may repeat a request.
"""

import json
import threading
from collections.abc import Iterator, Mapping, Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from .scripted_model import Result, Turn, Use

Block = dict[str, Any]
PREFIX = "call_scripted_"
MODEL = "scripted"


class ScriptedChat:
    """`threads`: a conversation whose first words of a user hold the key plays that script instead (agents within agents)."""

    def __init__(self, turns: Sequence[Turn], threads: Mapping[str, Sequence[Turn]] | None = None) -> None:
        self.scripts = {"": turns, **(threads or {})}
        self.requests: list[Block] = []
        self._begun: set[tuple[str, int]] = set()
        self._lock = threading.Lock()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    def __enter__(self) -> "ScriptedChat":
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

    def results(self, thread: str = "") -> list[Result]:
        told = [request["messages"] for request in self.requests if self._thread(request["messages"]) == thread]
        longest: list[Block] = max(told, key=len, default=[])
        uses = {call["id"]: _use(call) for call in _calls(longest)}
        found = []
        for message in longest:
            use = uses.get(message.get("tool_call_id", "")) if message.get("role") == "tool" else None
            if use is not None:
                text = _text(message.get("content"))
                found.append(Result(use.tool, use.input, text.startswith(REFUSALS), text))
        return found

    # What it says.

    def _thread(self, messages: list[Block]) -> str:
        said = json.dumps([message for message in messages if message.get("role") == "user"][:1])
        return next((name for name in self.scripts if name and name in said), "")

    def says(self, request: Block) -> list[Block]:
        """The calls of this turn; none where it has no more to do."""
        with self._lock:
            self.requests.append(request)
        thread = self._thread(request["messages"])
        done = [call["id"] for call in _calls(request["messages"]) if call["id"].startswith(f"{PREFIX}{thread}_")]
        number = max((int(each.rsplit("_", 2)[1]) for each in done), default=-1) + 1
        script = self.scripts[thread]
        waits = number > 0 and script[number - 1].pauses and request["messages"][-1].get("role") == "tool"
        if number >= len(script) or waits:
            return []
        turn = script[number]
        with self._lock:
            first = (thread, number) not in self._begun
            self._begun.add((thread, number))
        if first and turn.before:
            turn.before()
        return [_call(f"{PREFIX}{thread}_{number}_{place}", use) for place, use in enumerate(turn.uses)]

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        model = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *words: object) -> None:
                pass

            def do_GET(self) -> None:
                self._send("application/json", json.dumps({"object": "list", "data": [{"id": MODEL, "object": "model"}]}))

            def do_POST(self) -> None:
                request = json.loads(self.rfile.read(int(self.headers.get("content-length") or 0)) or b"{}")
                calls = model.says(request) if request.get("tools") else []  # titles and summaries bring no tools
                message: Block = {"role": "assistant", "content": "" if calls else "done"}
                if calls:
                    message["tool_calls"] = calls
                if request.get("stream"):
                    self._send("text/event-stream", "".join(_events(message)))
                else:
                    self._send("application/json", json.dumps(_whole(message)))

            def _send(self, kind: str, body: str) -> None:
                raw = body.encode()
                self.send_response(200)
                self.send_header("content-type", kind)
                self.send_header("content-length", str(len(raw)))
                self.end_headers()
                self.wfile.write(raw)

        return Handler


REFUSALS = ("Denied by", "Permission denied", "The user rejected", "Tool result blocked")
"""How Copilot begins what it tells its model of a call that did not run, or of a result that it may not read."""


def _call(number: str, use: Use) -> Block:
    """A patch goes to its tool as it is, which no other tool's arguments do."""
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
    """A call as the client remembers it: of a tool that takes text as it stands, in another form than it was made in."""
    if "custom" in call:
        return Use(call["custom"]["name"], {"patch": call["custom"]["input"]})
    return Use(call["function"]["name"], json.loads(call["function"]["arguments"]))


def _text(content: object) -> str:
    if isinstance(content, list):
        return "\n".join(str(block.get("text", "")) for block in content)
    return str(content)

"""A scripted model, and the address on loopback where a client requests its next turn.

The position in the script follows from the conversation itself, so that the client may repeat a request. A proof looks at what
the model receives: the results of its calls, and everything else.
"""

import json
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self

Block = dict[str, Any]


@dataclass(frozen=True)
class ScriptedCall:
    tool: str
    input: Mapping[str, object]


@dataclass(frozen=True)
class ScriptedTurn:
    """The model's next calls, all at once. `before` runs once, just before them. `pauses`: the model then waits for its user."""

    uses: tuple[ScriptedCall, ...]
    before: Callable[[], object] | None = None
    pauses: bool = False


@dataclass(frozen=True)
class CallResult:
    """The result of one call."""

    tool: str
    input: Mapping[str, object]
    refused: bool
    text: str


class ScriptedServer:
    """`threads`: a conversation whose first message contains the key follows that script instead (agents within agents)."""

    PREFIX = "scripted_"
    """Prefix of the ids of its calls: the client makes calls of its own."""

    def __init__(self, turns: Sequence[ScriptedTurn], threads: Mapping[str, Sequence[ScriptedTurn]]) -> None:
        self.scripts = {"": turns, **threads}
        self.requests: list[Block] = []
        self._begun: set[tuple[str, int]] = set()
        self._lock = threading.Lock()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._build_handler())
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"

    def __enter__(self) -> Self:
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *exc: object) -> None:
        self._server.shutdown()
        self._server.server_close()

    @property
    def all_messages(self) -> str:
        """Everything that the model received."""
        return json.dumps([request["messages"] for request in self.requests])

    def messages_of_thread(self, thread: str = "") -> list[list[Block]]:
        """Returns the messages of each request to go on."""
        return [request["messages"] for request in self.requests if self._find_thread(request["messages"]) == thread]

    def longest_conversation(self, thread: str = "") -> list[Block]:
        return max(self.messages_of_thread(thread), key=len, default=[])

    def _next_calls(self, request: Block, finished: Iterable[str], *, only_results: bool) -> list[tuple[str, ScriptedCall]]:
        """Returns the calls of the next turn with their ids; none if the script is over, or waits for its user. `finished`: the
        ids of the calls so far; `only_results`: the user has written nothing since."""
        with self._lock:
            self.requests.append(request)
        thread = self._find_thread(request["messages"])
        mine = [each for each in finished if each.startswith(f"{self.PREFIX}{thread}_")]
        number = max((int(each.rsplit("_", 2)[1]) for each in mine), default=-1) + 1
        script = self.scripts[thread]
        if number >= len(script) or (number and script[number - 1].pauses and only_results):
            return []
        turn = script[number]
        with self._lock:
            first = (thread, number) not in self._begun
            self._begun.add((thread, number))
        if first and turn.before:
            turn.before()
        return [(f"{self.PREFIX}{thread}_{number}_{place}", use) for place, use in enumerate(turn.uses)]

    def _find_thread(self, messages: list[Block]) -> str:
        first_message = json.dumps([message for message in messages if message.get("role") == "user"][:1])
        return next((name for name in self.scripts if name and name in first_message), "")

    def call_results(self, thread: str = "") -> list[CallResult]:
        """Returns what the model was told of each call, in order."""
        raise NotImplementedError

    def _build_handler(self) -> type[BaseHTTPRequestHandler]:
        raise NotImplementedError


class JsonHandler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *words: object) -> None:
        pass

    def read_body(self) -> Block:
        read: Block = json.loads(self.rfile.read(int(self.headers.get("content-length") or 0)) or b"{}")
        return read

    def send_body(self, status: int, body: Block | str) -> None:
        """Sends an object as JSON, or the text of a stream."""
        raw = (body if isinstance(body, str) else json.dumps(body)).encode()
        self.send_response(status)
        self.send_header("content-type", "text/event-stream" if isinstance(body, str) else "application/json")
        self.send_header("content-length", str(len(raw)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(raw)


def content_text(content: object) -> str:
    if isinstance(content, list):
        return "\n".join(str(block.get("text", "")) for block in content)
    return str(content)

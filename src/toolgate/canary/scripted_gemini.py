"""A scripted model: the Gemini API on loopback, as far as Gemini CLI uses it.

The API knows no ids of calls: a call's place in the script is its place among the calls of the conversation.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from http.server import BaseHTTPRequestHandler

from .scripted_server import Block, CallResult, JsonHandler, ScriptedCall, ScriptedServer, ScriptedTurn

MODEL = "gemini-2.5-pro"
INNER_END = "complete_task"
"""The call with which an agent within the agent hands its result back."""


class ScriptedGemini(ScriptedServer):
    def __init__(self, turns: Sequence[ScriptedTurn], threads: Mapping[str, Sequence[ScriptedTurn]] | None = None) -> None:
        super().__init__(turns, threads or {})

    def call_results(self, thread: str = "") -> list[CallResult]:
        found = []
        calls: list[Block] = []
        for part in _iter_parts(self.longest_conversation(thread)):
            if "functionCall" in part:
                calls.append(part["functionCall"])
            elif "functionResponse" in part:
                call, response = calls.pop(0), part["functionResponse"]["response"]
                text = str(response.get("error") or response.get("output") or response)
                found.append(CallResult(call["name"], call.get("args", {}), "error" in response, text))
        return found

    def answer_request(self, request: Block) -> Block:
        """Answers a request. Side requests (titles, routing) come without tools, and are no part of the script."""
        if not request.get("tools"):
            return {"text": "{}"}
        request["messages"] = request["contents"]
        parts = [*_iter_parts(request["contents"])]
        thread = self._find_thread(request["contents"])
        turns = _count_turns(parts)
        done = [f"{self.PREFIX}{thread}_{number}_0" for number in range(turns)]
        calls = self._next_calls(request, done, only_results=bool(parts) and "functionResponse" in parts[-1])
        if calls:
            return {"calls": [call for _, call in calls]}
        inner_tools = [each["name"] for tool in request["tools"] for each in tool.get("functionDeclarations", ())]
        return {"calls": [ScriptedCall(INNER_END, {"result": "done"})]} if INNER_END in inner_tools else {"text": "done"}

    def _build_handler(self) -> type[BaseHTTPRequestHandler]:
        model = self

        class Generation(JsonHandler):
            def do_GET(self) -> None:
                self.send_body(200, {})

            def do_POST(self) -> None:
                request = self.read_body()
                if "countTokens" in self.path:
                    self.send_body(200, {"totalTokens": 1})
                    return
                if "streamGenerate" not in self.path:
                    self.send_body(200, _render({"text": "{}"}))
                    return
                self.send_body(200, f"data: {json.dumps(_render(model.answer_request(request)))}\r\n\r\n")

        return Generation


def _render(answer: Block) -> Block:
    calls = answer.get("calls", ())
    parts = [{"functionCall": {"name": call.tool, "args": dict(call.input)}} for call in calls] or [
        {"text": answer.get("text", "")}
    ]
    return {
        "candidates": [{"content": {"role": "model", "parts": parts}, "finishReason": "STOP", "index": 0}],
        "usageMetadata": {"promptTokenCount": 1, "candidatesTokenCount": 1, "totalTokenCount": 2},
    }


def _iter_parts(contents: Sequence[Block]) -> Iterator[Block]:
    for content in contents:
        yield from content.get("parts") or ()


def _count_turns(parts: Sequence[Block]) -> int:
    """Returns how many turns with calls the conversation has: calls between which nothing was answered are one turn."""
    kinds = ["functionCall" in part for part in parts if "functionCall" in part or "functionResponse" in part]
    return sum(is_call and (place == 0 or not kinds[place - 1]) for place, is_call in enumerate(kinds))

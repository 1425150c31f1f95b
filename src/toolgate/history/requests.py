"""Reads calls as objects, one on each line: {"tool", "input", "cwd"?, "host"?}, as `toolgate check --calls` accepts them."""

import os
from collections.abc import Iterator, Mapping
from typing import Any

from .calls import PastCall, UnreadableLine
from .json_lines import read_objects

_FORMAT_ERROR = 'a call is an object with "tool" (text) and "input" (an object)'


class RequestsReader:
    def list_folders(self, _home: str, _environ: Mapping[str, str]) -> tuple[str, ...]:
        return ()

    def is_own_format(self, first_object: Mapping[str, Any]) -> bool:
        return isinstance(first_object.get("tool"), str) and isinstance(first_object.get("input"), dict)

    def read(self, path: str) -> Iterator[PastCall | UnreadableLine]:
        for line in read_objects(path):
            if line.value is None or not self.is_own_format(line.value):
                yield UnreadableLine(path, line.number, line.cause or _FORMAT_ERROR)
                continue
            value = line.value
            cwd = value.get("cwd") if isinstance(value.get("cwd"), str) else os.getcwd()
            host = value.get("host") if isinstance(value.get("host"), str) else "claude-code"
            call, tool, arguments = f"{path}:{line.number}", value["tool"], value["input"]
            yield PastCall(str(host), "", call, "", str(cwd), str(cwd), tool, arguments, "unknown", path, line.number)

"""A connection to the keeper: one question, one answer, each a JSON object after its size in four bytes.

The keeper (transport/keeper.py) runs on its own account and stores what a caller's account must not write. A worker gets its
connection from the supervisor, which names the user; root opens one by the keeper's socket, and names the user itself.
"""

import json
import socket
import struct
import threading
from typing import Any

from toolgate.model.errors import StoreError

PATIENCE = 3.0  # seconds; the gate's own deadline is 8
LARGEST = 32 << 20
"""Bytes of a message."""
NAME = "the supervisor's store"
_SIZE = struct.Struct("=I")


class Line:
    """For one process; threads take turns. An error of the keeper, or a missing answer, is a StoreError."""

    def __init__(self, conversation: socket.socket) -> None:
        self._conversation = conversation
        self._turn = threading.Lock()
        conversation.settimeout(PATIENCE)

    def ask(self, what: str, **about: Any) -> Any:
        with self._turn:
            try:
                put(self._conversation, {"do": what, **about})
                answer = taken(self._conversation)
            except (OSError, ValueError) as problem:
                self._conversation.close()  # part of an answer may be pending: what follows could not be trusted
                raise StoreError(NAME, f"it does not answer ({problem})", "root: systemctl status toolgate.service") from None
        if answer is None:
            raise StoreError(NAME, "it does not answer", "root: systemctl status toolgate.service")
        if "error" in answer:
            raise StoreError(*answer["error"])
        return answer["is"]

    def close(self) -> None:
        self._conversation.close()


def opened(path: str, user: int) -> Line:
    """Open the connection of a user, for root and the keeper's own account. Raises StoreError."""
    conversation = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        conversation.connect(path)
    except OSError as problem:
        conversation.close()
        raise StoreError(
            NAME, f"this account has no way to it ({problem.strerror or problem})", "run the command with sudo"
        ) from None
    line = Line(conversation)
    try:
        line.ask("serve", user=user)
    except StoreError:
        line.close()
        raise
    return line


def put(conversation: socket.socket, message: object) -> None:
    data = json.dumps(message, separators=(",", ":")).encode()
    if len(data) > LARGEST:
        raise ValueError("too large")
    conversation.sendall(_SIZE.pack(len(data)) + data)


def taken(conversation: socket.socket) -> dict[str, Any] | None:
    """Receive a message; None if the other side has closed. Raises OSError, and ValueError for an invalid message."""
    head = _whole(conversation, _SIZE.size)
    if not head:
        return None
    (size,) = _SIZE.unpack(head)
    if size > LARGEST:
        raise ValueError("too large")
    message = json.loads(_whole(conversation, size))
    if not isinstance(message, dict):
        raise ValueError("no message")
    return message


def _whole(conversation: socket.socket, size: int) -> bytes:
    data = bytearray()
    while len(data) < size:
        more = conversation.recv(min(size - len(data), 1 << 20))
        if not more:
            if data:
                raise ValueError("cut short")
            return b""
        data += more
    return bytes(data)

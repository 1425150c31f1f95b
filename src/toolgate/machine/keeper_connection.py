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

TIMEOUT_SECONDS = 3.0  # seconds; the gate's own deadline is 2, on a busy machine 8
MAX_MESSAGE_BYTES = 32 << 20
"""Bytes of a message."""
STORE_NAME = "the supervisor's store"
_SIZE = struct.Struct("=I")


class KeeperConnection:
    """For one process; threads take turns. An error of the keeper, or a missing answer, is a StoreError."""

    def __init__(self, conversation: socket.socket) -> None:
        self._conversation = conversation
        self._turn = threading.Lock()
        conversation.settimeout(TIMEOUT_SECONDS)

    def send_question(self, question: str, **about: Any) -> Any:
        with self._turn:
            try:
                send_message(self._conversation, {"do": question, **about})
                answer = receive_message(self._conversation)
            except (OSError, ValueError) as problem:
                self._conversation.close()  # part of an answer may be pending: what follows could not be trusted
                raise StoreError(
                    STORE_NAME, f"it does not answer ({problem})", "root: systemctl status toolgate.service"
                ) from None
        if answer is None:
            raise StoreError(STORE_NAME, "it does not answer", "root: systemctl status toolgate.service")
        if "error" in answer:
            raise StoreError(*answer["error"])
        return answer["is"]

    def close(self) -> None:
        self._conversation.close()


def open_connection(path: str, user: int) -> KeeperConnection:
    """Opens the connection of a user, for root and the keeper's own account. Raises StoreError."""
    conversation = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        conversation.connect(path)
    except OSError as problem:
        conversation.close()
        raise StoreError(
            STORE_NAME, f"this account has no way to it ({problem.strerror or problem})", "run the command with sudo"
        ) from None
    line = KeeperConnection(conversation)
    try:
        line.send_question("serve", user=user)
    except StoreError:
        line.close()
        raise
    return line


def send_message(conversation: socket.socket, message: object) -> None:
    data = json.dumps(message, separators=(",", ":")).encode()
    if len(data) > MAX_MESSAGE_BYTES:
        raise ValueError("too large")
    conversation.sendall(_SIZE.pack(len(data)) + data)


def receive_message(conversation: socket.socket) -> dict[str, Any] | None:
    """Receive a message; None if the other side has closed. Raises OSError, and ValueError for an invalid message."""
    head = _receive_exactly(conversation, _SIZE.size)
    if not head:
        return None
    (size,) = _SIZE.unpack(head)
    if size > MAX_MESSAGE_BYTES:
        raise ValueError("too large")
    message = json.loads(_receive_exactly(conversation, size))
    if not isinstance(message, dict):
        raise ValueError("no message")
    return message


def _receive_exactly(conversation: socket.socket, size: int) -> bytes:
    data = bytearray()
    while len(data) < size:
        more = conversation.recv(min(size - len(data), 1 << 20))
        if not more:
            if data:
                raise ValueError("cut short")
            return b""
        data += more
    return bytes(data)

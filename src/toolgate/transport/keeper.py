"""The keeper: a process on its own account, with data that callers' accounts must not write. Every user has a folder, by number:
the state, the audit, and cached policies.

It answers connections (machine/keeper_connection.py). A worker's comes from the supervisor, which names its user: the worker
may ask for what one call needs, and cannot write people's answers. Root's own, by the keeper's socket, may do that, too: `sudo
toolgate approve`.
"""

import array
import os
import re
import socket
import struct
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, NoReturn

from toolgate.audit import checkpoints
from toolgate.audit.sinks import jsonl
from toolgate.machine import keeper_connection
from toolgate.machine.accounts import read_peer
from toolgate.model.errors import StoreError
from toolgate.model.store import ANSWERS, Document, Key, Scope, Store
from toolgate.policy.cache_storage import FolderStorage
from toolgate.stores import find_store

DAY_PATTERN = re.compile(r"\d{4}-\d\d-\d\d")
SHELF_NAME = re.compile(r"(policy|sessions|last-good|decided)/\w[\w.-]{0,80}", re.ASCII)
IDLE_SECONDS = 900.0  # seconds without a question, after which a connection is closed: a person may need time to think
USER_MESSAGE = struct.Struct("=I")
"""The message of the supervisor with a connection that it hands over."""


def run_keeper(folder: str, lines: socket.socket, listener: socket.socket) -> NoReturn:
    """Answers connections until the supervisor, at the other end of `lines`, is gone."""
    threading.Thread(target=_accept_root_lines, args=(folder, listener), daemon=True).start()
    while True:
        data, descriptors = _receive_line(lines)
        if not data:
            os._exit(0)
        for descriptor in descriptors:
            conversation = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM, 0, descriptor)
            _start_thread(UserStorage(folder, USER_MESSAGE.unpack(data)[0], may_answer=False), conversation)


def _accept_root_lines(folder: str, listener: socket.socket) -> None:
    while True:
        conversation, _ = listener.accept()
        try:
            is_roots = read_peer(conversation).uid in (0, os.geteuid())
            conversation.settimeout(keeper_connection.TIMEOUT_SECONDS)
            question = keeper_connection.receive_message(conversation) if is_roots else None
        except (OSError, ValueError):
            question = None
        user = question.get("user") if question and question.get("do") == "serve" else None
        if isinstance(user, int) and 0 <= user < 1 << 32:
            _start_thread(UserStorage(folder, user, may_answer=True), conversation, greeted=True)
        else:
            conversation.close()


def _receive_line(lines: socket.socket) -> tuple[bytes, list[int]]:
    descriptors = array.array("i")
    data, ancillary, _flags, _ = lines.recvmsg(USER_MESSAGE.size, socket.CMSG_SPACE(descriptors.itemsize))
    for level, kind, ancillary_data in ancillary:
        if (level, kind) == (socket.SOL_SOCKET, socket.SCM_RIGHTS):
            descriptors.frombytes(ancillary_data[: len(ancillary_data) - len(ancillary_data) % descriptors.itemsize])
    return data, list(descriptors)


def _start_thread(storage: "UserStorage", conversation: socket.socket, *, greeted: bool = False) -> None:
    threading.Thread(target=_answer_line, args=(storage, conversation, greeted), daemon=True).start()


def _answer_line(storage: "UserStorage", conversation: socket.socket, greeted: bool) -> None:
    """Answers until the other side closes. An invalid question ends the connection."""
    with conversation:
        try:
            conversation.settimeout(IDLE_SECONDS)
            if greeted:
                keeper_connection.send_message(conversation, {"is": None})
            while (question := keeper_connection.receive_message(conversation)) is not None:
                keeper_connection.send_message(conversation, storage.answer_question(question))
        except (OSError, ValueError):
            pass
        finally:
            storage.close()


@dataclass(frozen=True, slots=True)
class UserStorage:
    """The data of one user."""

    folder: str
    user: int
    may_answer: bool

    @property
    def user_folder(self) -> str:
        return f"{self.folder}/users/{self.user}"

    def answer_question(self, question: dict[str, Any]) -> dict[str, Any]:
        """Answers a question. An unknown one gets the same error as one that cannot be answered."""
        asks: Callable[..., Any] | None = QUESTIONS.get(str(question.pop("do", "")))
        try:
            if asks is None:
                raise StoreError(keeper_connection.STORE_NAME, "it knows no such question", "toolgate doctor says more")
            return {"is": asks(self, **question)}
        except StoreError as problem:
            return {"error": [problem.store, problem.problem, problem.remedy]}
        except (TypeError, ValueError, AttributeError, KeyError):
            return {"error": [keeper_connection.STORE_NAME, "that is no question", "toolgate doctor says more"]}

    def close(self) -> None:
        self.thread_store().close()

    def thread_store(self) -> Store:
        """Returns the store of this thread: each connection has a thread and a database connection."""
        held = getattr(_THREAD_STORES, "store", None)
        if held is None:
            held = _THREAD_STORES.store = find_store("", self.user_folder)
        return held

    # ---- the state

    def load(self, keys: list[list[Any]], now: float) -> tuple[Document, ...]:
        return self.thread_store().load(tuple(_parse_key(each) for each in keys), now)

    def exchange(self, key: list[Any], before: Document, after: Document, now: float, until: float | None) -> bool:
        """Stores the new document; False if the current one is not what the change was made from."""

        def change(found: Document) -> tuple[Document, bool]:
            return (after, True) if found == before else (found, False)

        return self.thread_store().update(self._writable_key(key), change, now, until)

    def append(self, key: list[Any], entry: Document, now: float, until: float | None) -> None:
        self.thread_store().append(self._writable_key(key), entry, now, until)

    def entries(self, key: list[Any], now: float) -> tuple[Document, ...]:
        return self.thread_store().entries(_parse_key(key), now)

    def scopes(self, name: str, now: float) -> list[tuple[str, str, Document]]:
        return [(scope.kind, scope.name, document) for scope, document in self.thread_store().scopes(name, now)]

    def forget(self, kind: Any, scope: str) -> None:
        self.thread_store().forget(Scope(kind, scope))

    def _writable_key(self, key: list[Any]) -> Key:
        found = _parse_key(key)
        if found.name == ANSWERS and not self.may_answer:
            raise StoreError(
                keeper_connection.STORE_NAME,
                "what people answer is not this account's to write",
                "on a terminal: sudo toolgate approve",
            )
        return found

    # ---- the audit and the cache

    def record(self, day: str, text: str) -> str:
        if not DAY_PATTERN.fullmatch(day) or not text.endswith("\n") or "\n" in text[:-1]:
            raise ValueError("no record")
        return jsonl.append_record(f"{self.user_folder}/audit", day, text, f"{self.folder}/{checkpoints.KEY_FILE}")

    def checkpoint(self, now: float) -> dict[str, object] | None:
        """Returns a signed checkpoint of the user's log; unsigned without the library, None where nothing is recorded."""
        key = f"{self.folder}/{checkpoints.KEY_FILE}"
        if not os.path.exists(key):
            with suppress(OSError, ImportError):
                checkpoints.create_key(key)
        try:
            return checkpoints.make_checkpoint_of_head(f"{self.user_folder}/audit", now, key)
        except OSError:
            return None

    def read(self, name: str) -> str | None:
        data = self._cache_folder(name).read(name)
        return None if data is None else data.decode("latin-1")

    def write(self, name: str, data: str) -> None:
        self._cache_folder(name).write(name, data.encode("latin-1"))

    def prune(self, before: float) -> None:
        FolderStorage(f"{self.user_folder}/cache").prune(before)

    def _cache_folder(self, name: str) -> FolderStorage:
        if not SHELF_NAME.fullmatch(name):
            raise ValueError("no name")
        return FolderStorage(f"{self.user_folder}/cache")


QUESTIONS: dict[str, Callable[..., Any]] = {
    each.__name__: each
    for each in (
        UserStorage.load,
        UserStorage.exchange,
        UserStorage.append,
        UserStorage.entries,
        UserStorage.scopes,
        UserStorage.forget,
        UserStorage.record,
        UserStorage.checkpoint,
        UserStorage.read,
        UserStorage.write,
        UserStorage.prune,
    )
}
_THREAD_STORES = threading.local()


def _parse_key(words: list[Any]) -> Key:
    """Returns the key of a question. Any text is valid: it only names a row."""
    kind, scope, name = words
    return Key(Scope(kind, scope), name)

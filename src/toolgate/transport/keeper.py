"""The keeper: a process on its own account, with data that callers' accounts must not write. Every user has a folder, by number:
the state, the audit, and cached policies.

It answers connections (machine/line.py). A worker's comes from the supervisor, which names its user: the worker may ask for what
one call needs, and cannot write people's answers. Root's own, by the keeper's socket, may do that, too: `sudo toolgate
approve`.
"""

import array
import os
import re
import socket
import struct
import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NoReturn

from toolgate.audit.sinks import jsonl
from toolgate.machine import line
from toolgate.machine.accounts import peer
from toolgate.model.errors import StoreError
from toolgate.model.state import ANSWERS, Document, Key, Scope, Store
from toolgate.policy.shelf import Folder
from toolgate.stores import store

DAY = re.compile(r"\d{4}-\d\d-\d\d")
SHELVED = re.compile(r"(policy|sessions|last-good)/\w[\w.-]{0,80}", re.ASCII)
IDLE = 900.0  # seconds without a question, after which a connection is closed: a person may need time to think
USER = struct.Struct("=I")
"""The message of the supervisor with a connection that it hands over."""


def keep(folder: str, lines: socket.socket, listener: socket.socket) -> NoReturn:
    """Answer connections until the supervisor, at the other end of `lines`, is gone."""
    threading.Thread(target=_listen, args=(folder, listener), daemon=True).start()
    while True:
        data, descriptors = _handed_over(lines)
        if not data:
            os._exit(0)
        for descriptor in descriptors:
            conversation = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM, 0, descriptor)
            _begin(Kept(folder, USER.unpack(data)[0], may_answer=False), conversation)


def _listen(folder: str, listener: socket.socket) -> None:
    while True:
        conversation, _ = listener.accept()
        try:
            is_roots = peer(conversation).uid in (0, os.geteuid())
            conversation.settimeout(line.PATIENCE)
            asked = line.taken(conversation) if is_roots else None
        except (OSError, ValueError):
            asked = None
        user = asked.get("user") if asked and asked.get("do") == "serve" else None
        if isinstance(user, int) and 0 <= user < 1 << 32:
            _begin(Kept(folder, user, may_answer=True), conversation, greeted=True)
        else:
            conversation.close()


def _handed_over(lines: socket.socket) -> tuple[bytes, list[int]]:
    descriptors = array.array("i")
    data, ancillary, _flags, _ = lines.recvmsg(USER.size, socket.CMSG_SPACE(descriptors.itemsize))
    for level, kind, said in ancillary:
        if (level, kind) == (socket.SOL_SOCKET, socket.SCM_RIGHTS):
            descriptors.frombytes(said[: len(said) - len(said) % descriptors.itemsize])
    return data, list(descriptors)


def _begin(kept: "Kept", conversation: socket.socket, *, greeted: bool = False) -> None:
    threading.Thread(target=_serve, args=(kept, conversation, greeted), daemon=True).start()


def _serve(kept: "Kept", conversation: socket.socket, greeted: bool) -> None:
    """Answer until the other side closes. An invalid question ends the connection."""
    with conversation:
        try:
            conversation.settimeout(IDLE)
            if greeted:
                line.put(conversation, {"is": None})
            while (asked := line.taken(conversation)) is not None:
                line.put(conversation, kept.answered(asked))
        except (OSError, ValueError):
            pass
        finally:
            kept.close()


@dataclass(frozen=True, slots=True)
class Kept:
    """The data of one user."""

    folder: str
    user: int
    may_answer: bool

    @property
    def own(self) -> str:
        return f"{self.folder}/users/{self.user}"

    def answered(self, asked: dict[str, Any]) -> dict[str, Any]:
        """Answer a question. An unknown one gets the same error as one that cannot be answered."""
        asks: Callable[..., Any] | None = QUESTIONS.get(str(asked.pop("do", "")))
        try:
            if asks is None:
                raise StoreError(line.NAME, "it knows no such question", "toolgate doctor says more")
            return {"is": asks(self, **asked)}
        except StoreError as problem:
            return {"error": [problem.store, problem.problem, problem.remedy]}
        except (TypeError, ValueError, AttributeError, KeyError):
            return {"error": [line.NAME, "that is no question", "toolgate doctor says more"]}

    def close(self) -> None:
        self.store().close()

    def store(self) -> Store:
        """Return the store of this thread: each connection has a thread and a database connection."""
        held = getattr(_OPEN, "store", None)
        if held is None:
            held = _OPEN.store = store("", self.own)
        return held

    # ---- the state

    def load(self, keys: list[list[Any]], now: float) -> tuple[Document, ...]:
        return self.store().load(tuple(_key(each) for each in keys), now)

    def exchange(self, key: list[Any], before: Document, after: Document, now: float, until: float | None) -> bool:
        """Store the new document; False if the current one is not what the change was made from."""

        def change(found: Document) -> tuple[Document, bool]:
            return (after, True) if found == before else (found, False)

        return self.store().update(self._writable(key), change, now, until)

    def append(self, key: list[Any], entry: Document, now: float, until: float | None) -> None:
        self.store().append(self._writable(key), entry, now, until)

    def entries(self, key: list[Any], now: float) -> tuple[Document, ...]:
        return self.store().entries(_key(key), now)

    def scopes(self, name: str, now: float) -> list[tuple[str, str, Document]]:
        return [(scope.kind, scope.name, document) for scope, document in self.store().scopes(name, now)]

    def forget(self, kind: Any, scope: str) -> None:
        self.store().forget(Scope(kind, scope))

    def _writable(self, key: list[Any]) -> Key:
        found = _key(key)
        if found.name == ANSWERS and not self.may_answer:
            raise StoreError(
                line.NAME, "what people answer is not this account's to write", "on a terminal: sudo toolgate approve"
            )
        return found

    # ---- the audit and the cache

    def record(self, day: str, text: str) -> str:
        if not DAY.fullmatch(day) or not text.endswith("\n") or "\n" in text[:-1]:
            raise ValueError("no record")
        return jsonl.append(f"{self.own}/audit", day, text)

    def read(self, name: str) -> str | None:
        data = self._shelf(name).read(name)
        return None if data is None else data.decode("latin-1")

    def write(self, name: str, data: str) -> None:
        self._shelf(name).write(name, data.encode("latin-1"))

    def prune(self, before: float) -> None:
        Folder(f"{self.own}/cache").prune(before)

    def _shelf(self, name: str) -> Folder:
        if not SHELVED.fullmatch(name):
            raise ValueError("no name")
        return Folder(f"{self.own}/cache")


QUESTIONS: dict[str, Callable[..., Any]] = {
    each.__name__: each
    for each in (
        Kept.load,
        Kept.exchange,
        Kept.append,
        Kept.entries,
        Kept.scopes,
        Kept.forget,
        Kept.record,
        Kept.read,
        Kept.write,
        Kept.prune,
    )
}
_OPEN = threading.local()


def _key(words: list[Any]) -> Key:
    """Return the key of a question. Any text is valid: it only names a row."""
    kind, scope, name = words
    return Key(Scope(kind, scope), name)

"""State in the memory of this process: for programs that embed the gate, and for tests."""

import copy
import threading
from collections.abc import Iterator
from typing import TypeVar

from toolgate.model.store import ANSWERS, EMPTY_DOCUMENT, Change, Document, Key, Scope

T = TypeVar("T")


def open_store(_url: str, _folder: str) -> "MemoryStore":
    return MemoryStore()


class MemoryStore:
    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._documents: dict[Key, tuple[Document, float | None]] = {}
        self._lists: dict[Key, list[tuple[Document, float | None]]] = {}

    def load(self, keys: tuple[Key, ...], now: float) -> tuple[Document, ...]:
        with self._lock:
            return tuple(self._load_document(key, now) for key in keys)

    def update(self, key: Key, change: Change[T], now: float, until: float | None = None) -> T:
        with self._lock:
            before = self._load_document(key, now)
            after, answer = change(before)
            if not after:
                self._documents.pop(key, None)
            elif after != before:
                self._documents[key] = (copy.deepcopy(after), until)
            return answer

    def append(self, key: Key, entry: Document, now: float, until: float | None = None) -> None:
        with self._lock:
            kept = [each for each in self._lists.get(key, ()) if not _has_expired(each[1], now)]
            self._lists[key] = [*kept, (copy.deepcopy(entry), until)]

    def entries(self, key: Key, now: float) -> tuple[Document, ...]:
        with self._lock:
            return tuple(copy.deepcopy(entry) for entry, until in self._lists.get(key, ()) if not _has_expired(until, now))

    def scopes(self, name: str, now: float) -> Iterator[tuple[Scope, Document]]:
        with self._lock:
            found = [(key.scope, self._load_document(key, now)) for key in sorted(self._documents) if key.name == name]
        return iter([(scope, document) for scope, document in found if document])

    def forget(self, scope: Scope) -> None:
        with self._lock:
            for kept in (self._documents, self._lists):
                for key in [key for key in kept if key.scope == scope and key.name != ANSWERS]:
                    del kept[key]

    def close(self) -> None:
        pass

    def _load_document(self, key: Key, now: float) -> Document:
        document, until = self._documents.get(key, (EMPTY_DOCUMENT, None))
        return EMPTY_DOCUMENT if _has_expired(until, now) else copy.deepcopy(document)


def _has_expired(until: float | None, now: float) -> bool:
    return until is not None and now >= until

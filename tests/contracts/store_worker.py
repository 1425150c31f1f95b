"""Works on a store from another process: `store_worker.py URL FOLDER JOB NUMBER`. It prints its results."""

import os
import signal
import sys
from collections.abc import Callable

from toolgate.model.store import Document, Key, Scope, Store
from toolgate.stores import find_store

NOW = 1_000.0
COUNTER = Key(Scope("session", "shared"), "counter")


def add_one(before: Document) -> tuple[Document, int]:
    after = {"n": before.get("n", 0) + 1}
    return after, after["n"]


def take_one(before: Document) -> tuple[Document, bool]:
    left = before.get("n", 0)
    return ({"n": left - 1}, True) if left > 0 else (before, False)


def count(store: Store, number: int) -> int:
    for _ in range(number):
        store.update(COUNTER, add_one, NOW)
    return number


def take_numbers(store: Store, number: int) -> int:
    return sum(store.update(COUNTER, take_one, NOW) for _ in range(number))


def die_while_writing(store: Store, _number: int) -> int:
    """Dies between the write and the commit."""

    def kill_itself(_before: Document) -> tuple[Document, int]:
        os.kill(os.getpid(), signal.SIGKILL)
        return {"n": 99}, 99

    return store.update(COUNTER, kill_itself, NOW)


JOBS: dict[str, Callable[[Store, int], int]] = {"count": count, "take": take_numbers, "die": die_while_writing}

if __name__ == "__main__":
    url, folder, job, number = sys.argv[1:]
    print(JOBS[job](find_store(url, folder), int(number)))

"""One call, judged by a process of the supervisor that has become the caller: it sees no more of the machine than the caller.

State that outlasts the call is stored by the keeper, over a connection given to this process. Nothing in the call can choose
another one.
"""

import gc
import os
import signal
import socket
import sys
from dataclasses import replace
from typing import NoReturn

from toolgate import hosts
from toolgate.app import App
from toolgate.audit.record import Record
from toolgate.machine.accounts import Peer, become, sees_the_same
from toolgate.machine.line import Line
from toolgate.model.errors import StoreError
from toolgate.model.event import Scene
from toolgate.model.request import Answer, Request
from toolgate.model.rule import Policy
from toolgate.model.state import Store
from toolgate.policy.shelf import Shelf
from toolgate.sessions import Stores, Ways
from toolgate.stores.supervised import SupervisedStore

from . import frames
from .deadline import MARGIN, Deadline

BY_ROOT = Ways("sudo toolgate approve", in_conversation=False)
"""An agent of the caller's account could type on any terminal of that account, so only root approves."""
READING = 5.0  # seconds that a client may take to send its request
ELSEWHERE = "toolgate's supervisor sees another machine than this client does: a container needs a toolgate of its own."


def run(conversation: socket.socket, line: socket.socket, caller: Peer, build: str) -> NoReturn:
    """Answer the call, and end the process. Without an answer the client refuses."""
    gc.disable()
    try:
        here = sees_the_same(caller.pid)  # root may read this; the caller's account might not
        become(caller.uid, caller.gid, caller.groups)
        os.umask(0o077)
        os.chdir("/")
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        deadline = Deadline(lambda: os._exit(1))
        deadline.begin(READING)
        request, left = frames.received(conversation.fileno(), build, caller.pid)
        deadline.begin(left - MARGIN)
        request = replace(request, uid=caller.uid)
        answer = App(stores=Supervised(Line(line))).handle(request) if here else _refusal(request)
        deadline.over()
        frames.send(conversation.fileno(), frames.reply(build, answer))
        os._exit(0)
    except BaseException as problem:  # noqa: BLE001  (the client refuses; the reason goes to the journal)
        sys.stderr.write(f"toolgate: a call of user {caller.uid} got no answer: {type(problem).__name__}\n")
        sys.stderr.flush()
    finally:
        os._exit(1)


def _refusal(request: Request) -> Answer:
    return hosts.host(request.host).refuse(request.event, ELSEWHERE)


class Supervised(Stores):
    """Stores for the caller on the supervisor's account. The caller's environment cannot choose where."""

    def __init__(self, line: Line) -> None:
        super().__init__(ways=BY_ROOT)
        self._line = line

    def of(self, scene: Scene, policy: Policy) -> Store:
        """Return the store that the organisation names, or the supervisor's."""
        return super().of(scene, policy) if policy.store_is_fixed else SupervisedStore(self._line)

    def has_ledger(self, _scene: Scene) -> bool:
        """Always true: a mark in the caller's own cache could be removed by the caller."""
        return True

    def can_record(self, _scene: Scene) -> bool:
        return True

    def record(self, _scene: Scene, record: Record) -> str:
        try:
            return str(self._line.ask("record", day=record.day, text=record.line()))
        except StoreError as problem:
            return f"the audit cannot be written: {problem}; decisions go on, unrecorded"

    def shelf(self, _scene: Scene) -> Shelf:
        return KeptShelf(self._line)


class KeptShelf:
    """A cache at the keeper; a failed read means that the value is computed again."""

    def __init__(self, line: Line) -> None:
        self._line = line

    def read(self, name: str) -> bytes | None:
        try:
            found = self._line.ask("read", name=name)
        except StoreError:
            return None
        return None if found is None else str(found).encode("latin-1")

    def write(self, name: str, data: bytes) -> None:
        try:
            self._line.ask("write", name=name, data=data.decode("latin-1"))
        except StoreError:
            return

    def prune(self, before: float) -> None:
        try:
            self._line.ask("prune", before=before)
        except StoreError:
            return

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
from toolgate.audit.record import OutcomeRecord, Record
from toolgate.machine.accounts import Peer, become_account, shares_namespaces
from toolgate.machine.keeper_connection import KeeperConnection
from toolgate.model.errors import StoreError
from toolgate.model.event import Scene
from toolgate.model.request import Answer, Request
from toolgate.model.rule import Policy
from toolgate.model.store import Store
from toolgate.policy.cache_storage import CacheStorage
from toolgate.sessions import AnswerWays, Stores
from toolgate.stores.supervised import SupervisedStore

from . import frames
from .deadline import MARGIN_SECONDS, Deadline

ROOT_APPROVAL = AnswerWays("sudo toolgate approve", in_conversation=False)
"""An agent of the caller's account could type on any terminal of that account, so only root approves."""
READING_SECONDS = 5.0  # seconds that a client may take to send its request
OTHER_MACHINE_REASON = (
    "toolgate's supervisor sees another machine than this client does: a container needs a toolgate of its own."
)


def answer_call(conversation: socket.socket, line: socket.socket, caller: Peer, build: str) -> NoReturn:
    """Answers the call, and ends the process. Without an answer the client refuses."""
    gc.disable()
    try:
        is_same_machine = shares_namespaces(caller.pid)  # root may read this; the caller's account might not
        become_account(caller.uid, caller.gid, caller.groups)
        os.umask(0o077)
        os.chdir("/")
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        deadline = Deadline(lambda: os._exit(1))
        deadline.start(READING_SECONDS)
        request, left = frames.receive_request(conversation.fileno(), build, caller.pid)
        deadline.start(left - MARGIN_SECONDS)
        request = replace(request, uid=caller.uid)
        answer = (
            App(stores=SupervisedStores(KeeperConnection(line))).handle(request)
            if is_same_machine
            else _refuse_elsewhere(request)
        )
        deadline.cancel()
        frames.write_all(conversation.fileno(), frames.pack_reply(build, answer))
        os._exit(0)
    except BaseException as problem:  # noqa: BLE001  (the client refuses; the reason goes to the journal)
        sys.stderr.write(f"toolgate: a call of user {caller.uid} got no answer: {type(problem).__name__}\n")
        sys.stderr.flush()
    finally:
        os._exit(1)


def _refuse_elsewhere(request: Request) -> Answer:
    return hosts.load_host(request.host).refuse(request.event, OTHER_MACHINE_REASON)


class SupervisedStores(Stores):
    """Stores for the caller on the supervisor's account. The caller's environment cannot choose where."""

    def __init__(self, line: KeeperConnection) -> None:
        super().__init__(ways=ROOT_APPROVAL)
        self._line = line

    def find_store(self, scene: Scene, policy: Policy) -> Store:
        """Returns the store that the organisation names, or the supervisor's."""
        return super().find_store(scene, policy) if policy.store_is_fixed else SupervisedStore(self._line)

    def has_document(self, _scene: Scene, _name: str) -> bool:
        """Always true: a mark in the caller's own cache could be removed by the caller."""
        return True

    def can_record(self, _scene: Scene) -> bool:
        return True

    def record_call(self, _scene: Scene, record: Record | OutcomeRecord, _policy: Policy) -> str:
        """The caller's policy does not limit the supervisor's log."""
        try:
            return str(self._line.send_question("record", day=record.utc_day, text=record.render_line()))
        except StoreError as problem:
            return f"the audit cannot be written: {problem}; decisions go on, unrecorded"

    def make_checkpoint(self, _scene: Scene, now: float) -> dict[str, object] | None:
        try:
            found = self._line.send_question("checkpoint", now=now)
        except StoreError:
            return None
        return found if isinstance(found, dict) else None

    def open_shelf(self, _scene: Scene) -> CacheStorage:
        return SupervisedShelf(self._line)


class SupervisedShelf:
    """A cache at the keeper; a failed read means that the value is computed again."""

    def __init__(self, line: KeeperConnection) -> None:
        self._line = line

    def read(self, name: str) -> bytes | None:
        try:
            found = self._line.send_question("read", name=name)
        except StoreError:
            return None
        return None if found is None else str(found).encode("latin-1")

    def write(self, name: str, data: bytes) -> None:
        try:
            self._line.send_question("write", name=name, data=data.decode("latin-1"))
        except StoreError:
            return

    def prune(self, before: float) -> None:
        try:
            self._line.send_question("prune", before=before)
        except StoreError:
            return

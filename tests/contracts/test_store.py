"""Tests what every store must do, on real files and on a real PostgreSQL."""

import os
import sqlite3
import stat
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from contracts.cluster import Cluster, cluster
from contracts.store_worker import COUNTER, NOW, add_one, take_one
from toolgate.model.errors import StoreError
from toolgate.model.store import ANSWERS, Document, Key, Scope, Store
from toolgate.stores import STORES, find_store
from toolgate.stores.sqlite import MIGRATIONS, SqliteStore
from toolgate.transport.keeper import UserStorage as KeptFor

WORKER = Path(__file__).parent / "store_worker.py"
KEEPER = Path(__file__).parent / "keeper_process.py"
SESSION = Scope("session", "s-1")
NOTES = Key(SESSION, "notes")


@dataclass(frozen=True)
class StoreAccess:
    """A store that tests may open repeatedly. Only the file and the server are accessible to other processes."""

    url: str
    folder: str
    made: list[Store] = field(default_factory=list)

    def open(self) -> Store:
        self.made.append(find_store(self.url, self.folder))
        return self.made[-1]

    def close(self) -> None:
        for each in self.made:
            each.close()

    def start_worker(self, job: str, number: int) -> "subprocess.Popen[str]":
        words = [sys.executable, str(WORKER), self.url, self.folder, job, str(number)]
        return subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


@pytest.fixture(scope="session")
def server() -> Iterator[Cluster]:
    with cluster() as running_cluster:
        yield running_cluster


Make = Callable[[str], StoreAccess]


@pytest.fixture
def make(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Make]:
    """Creates a store of a kind; on the server, in a database of its own."""
    made: list[StoreAccess] = []

    def make_store(kind: str) -> StoreAccess:
        url = {"memory": "memory:", "sqlite": ""}.get(kind)
        if kind == "supervised":
            url = request.getfixturevalue("keeper")
        elif url is None:
            url = database(request.getfixturevalue("server"), tmp_path)
        made.append(StoreAccess(url, str(tmp_path / "state")))
        return made[-1]

    yield make_store
    for each in made:
        each.close()


def database(server: Cluster, tmp_path: Path) -> str:
    import psycopg

    name = f"t{abs(hash(str(tmp_path)))}"
    with psycopg.connect(server.url, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}")
    url = server.url_of("owner", name)
    migrate(url)
    return url


def migrate(url: str, gate: str = "", approver: str = "") -> None:
    from toolgate.stores.postgres import PostgresStore

    owner = PostgresStore(url)
    owner.migrate(gate, approver)
    owner.close()


@pytest.fixture
def keeper(tmp_path: Path) -> Iterator[str]:
    """Starts the supervisor's keeper as a process under this account. Yields the URL of what it keeps for a user."""
    socket_path = f"/tmp/toolgate-{os.getpid()}-{abs(hash(str(tmp_path)))}.sock"  # a socket's address is short
    child = subprocess.Popen([sys.executable, str(KEEPER), str(tmp_path / "kept"), socket_path], stdout=subprocess.PIPE)
    try:
        assert child.stdout is not None
        assert child.stdout.readline() == b"ready\n"
        yield f"supervised:{socket_path}?1000"
    finally:
        child.kill()
        child.communicate()
        Path(socket_path).unlink(missing_ok=True)


@pytest.fixture(params=["memory", "sqlite", "postgres", "supervised"])
def store(request: pytest.FixtureRequest, make: Make) -> Store:
    return make(request.param).open()


@pytest.fixture(params=["sqlite", "postgres", "supervised"])
def durable_store(request: pytest.FixtureRequest, make: Make) -> StoreAccess:
    """A store that other processes can open too."""
    return make(request.param)


def replace_with(document: Document) -> Callable[[Document], tuple[Document, None]]:
    return lambda _before: (document, None)


def value(store: Store, key: Key = COUNTER, now: float = NOW) -> Document:
    return store.load((key,), now)[0]


# ---- one at a time


def test_the_table_names_every_store() -> None:
    folder = Path(__file__).parents[2] / "src" / "toolgate" / "stores"
    assert {path.stem for path in folder.glob("*.py")} - {"__init__"} == set(STORES.values())


def test_what_is_no_store_is_said(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="'redis' is no kind of store"):
        find_store("redis://x", str(tmp_path))


def test_nothing_is_empty(store: Store) -> None:
    assert store.load((NOTES, COUNTER), NOW) == ({}, {})
    assert store.entries(NOTES, NOW) == ()
    assert list(store.scopes("notes", NOW)) == []


def test_looking_makes_no_file(tmp_path: Path) -> None:
    opened_store = find_store("", str(tmp_path / "state"))
    opened_store.load((NOTES,), NOW)
    opened_store.forget(SESSION)
    assert not (tmp_path / "state").exists()


AWKWARD: Document = {"text": "ä\0\ud800\U0001f600'\"\\", "list": [1, 2.5, None, True], "in": {"": {}}}


def test_what_is_kept_comes_back(store: Store) -> None:
    assert store.update(NOTES, lambda before: (AWKWARD, before), NOW) == {}
    assert value(store, NOTES) == AWKWARD
    assert list(store.scopes("notes", NOW)) == [(SESSION, AWKWARD)]
    assert store.update(NOTES, lambda before: ({}, before), NOW) == AWKWARD
    assert list(store.scopes("notes", NOW)) == []


@pytest.mark.parametrize("name", ["a\0b", "half \ud800 a character", "'; DROP TABLE documents; --", "ä/../x", ""])
def test_any_name_of_a_scope(store: Store, name: str) -> None:
    key = Key(Scope("project", name), "notes")
    store.update(key, replace_with({"a": 1}), NOW)
    store.append(key, {"b": 1}, NOW)
    assert (value(store, key), store.entries(key, NOW)) == ({"a": 1}, ({"b": 1},))
    store.forget(key.scope)
    assert (value(store, key), store.entries(key, NOW)) == ({}, ())


def test_scopes_do_not_meet(store: Store) -> None:
    for kind in ("session", "project", "global"):
        store.update(Key(Scope(kind, "x"), "notes"), replace_with({"kind": kind}), NOW)
    store.update(Key(Scope("session", "y"), "notes"), replace_with({"kind": "other"}), NOW)
    store.forget(Scope("session", "x"))
    assert value(store, Key(Scope("session", "x"), "notes")) == {}
    assert value(store, Key(Scope("session", "y"), "notes")) == {"kind": "other"}
    assert value(store, Key(Scope("project", "x"), "notes")) == {"kind": "project"}


def test_what_approvers_said_is_not_forgotten_with_a_session(store: Store) -> None:
    store.update(Key(SESSION, ANSWERS), replace_with({"a": 1}), NOW)
    store.forget(SESSION)
    assert value(store, Key(SESSION, ANSWERS)) == {"a": 1}


def test_a_list_grows_in_order(store: Store) -> None:
    for n in range(5):
        store.append(NOTES, {"n": n}, NOW)
    assert [entry["n"] for entry in store.entries(NOTES, NOW)] == [0, 1, 2, 3, 4]


def test_a_change_that_fails_changes_nothing(store: Store) -> None:
    def raise_error(_before: Document) -> tuple[Document, None]:
        raise ValueError("no")

    store.update(COUNTER, replace_with({"n": 1}), NOW)
    with pytest.raises(ValueError, match="no"):
        store.update(COUNTER, raise_error, NOW)
    assert value(store) == {"n": 1}
    assert store.update(COUNTER, add_one, NOW) == 2


# ---- time


def test_what_expires_is_gone(store: Store) -> None:
    store.update(NOTES, replace_with({"a": 1}), NOW, NOW + 10)
    store.append(NOTES, {"b": 1}, NOW, NOW + 10)
    assert (value(store, NOTES, NOW + 9.9), len(store.entries(NOTES, NOW + 9.9))) == ({"a": 1}, 1)
    assert (value(store, NOTES, NOW + 10), len(store.entries(NOTES, NOW + 10))) == ({}, 0)
    assert list(store.scopes("notes", NOW + 10)) == []


def test_what_expired_does_not_come_back_with_the_clock(store: Store) -> None:
    store.update(NOTES, replace_with({"a": 1}), NOW, NOW + 10)
    assert store.update(NOTES, lambda before: ({"fresh": True}, before), NOW + 20, NOW + 30) == {}
    assert value(store, NOTES, NOW) == {"fresh": True}


# ---- many at a time


def test_eight_threads_count_together(store: Store) -> None:
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda _: store.update(COUNTER, add_one, NOW), range(200)))
    assert value(store) == {"n": 200}
    assert sorted(answers) == list(range(1, 201))


def test_eight_threads_take_each_thing_once(store: Store) -> None:
    store.update(COUNTER, replace_with({"n": 50}), NOW)
    with ThreadPoolExecutor(8) as pool:
        taken = sum(pool.map(lambda _: store.update(COUNTER, take_one, NOW), range(160)))
    assert (taken, value(store)["n"]) == (50, 0)


def test_eight_processes_count_together(durable_store: StoreAccess) -> None:
    """The processes share a store that none of them has opened before."""
    workers = [durable_store.start_worker("count", 25) for _ in range(8)]
    outputs = [worker.communicate(timeout=120) for worker in workers]
    assert [worker.returncode for worker in workers] == [0] * 8, outputs
    assert value(durable_store.open()) == {"n": 200}


def test_exactly_as_many_uses_as_were_given(durable_store: StoreAccess) -> None:
    """8 processes make 1,600 attempts at 500 uses."""
    durable_store.open().update(COUNTER, replace_with({"n": 500}), NOW)
    workers = [durable_store.start_worker("take", 200) for _ in range(8)]
    taken = [int(worker.communicate(timeout=180)[0]) for worker in workers]
    assert sum(taken) == 500, taken
    assert value(durable_store.open())["n"] == 0


def test_a_process_that_dies_before_its_commit_wrote_nothing(durable_store: StoreAccess) -> None:
    opened = durable_store.open()
    opened.update(COUNTER, replace_with({"n": 7}), NOW)
    worker = durable_store.start_worker("die", 1)
    worker.communicate(timeout=60)
    assert worker.returncode == -9
    assert value(opened) == {"n": 7}
    assert opened.update(COUNTER, add_one, NOW) == 8


def test_a_fork_uses_connections_of_its_own(durable_store: StoreAccess) -> None:
    opened = durable_store.open()
    opened.update(COUNTER, add_one, NOW)
    child = os.fork()
    if child == 0:
        try:
            opened.update(COUNTER, add_one, NOW)
            os._exit(0)
        finally:
            os._exit(1)
    assert os.waitpid(child, 0)[1] == 0
    assert opened.update(COUNTER, add_one, NOW) == 3


# ---- the file


def test_the_file_is_ours_alone(tmp_path: Path) -> None:
    opened_store = find_store("", str(tmp_path / "state"))
    before = os.umask(0)
    try:
        opened_store.update(NOTES, replace_with({"a": 1}), NOW)
    finally:
        os.umask(before)
    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in (tmp_path / "state").iterdir()}
    assert set(modes.values()) == {0o600}
    assert "state.db" in modes
    assert stat.S_IMODE((tmp_path / "state").stat().st_mode) == 0o700


def test_a_file_that_others_may_write_is_not_believed(tmp_path: Path) -> None:
    opened_store = find_store("", str(tmp_path))
    opened_store.update(NOTES, replace_with({"a": 1}), NOW)
    (tmp_path / "state.db").chmod(0o666)
    with pytest.raises(StoreError, match="others may write"):
        find_store("", str(tmp_path)).load((NOTES,), NOW)


def test_a_link_in_its_place_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "state.db").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(StoreError, match="something else"):
        find_store("", str(tmp_path)).load((NOTES,), NOW)
    assert not (tmp_path / "elsewhere").exists()


@pytest.mark.parametrize("damage", ["text", "cut", "no document"])
def test_a_damaged_file_is_set_aside_and_said(tmp_path: Path, damage: str) -> None:
    opened_store = find_store("", str(tmp_path))
    opened_store.update(NOTES, replace_with({"a": "b" * 20_000}), NOW)
    opened_store.close()
    path = tmp_path / "state.db"
    if damage == "no document":
        with sqlite3.connect(path) as connection:
            connection.execute("UPDATE documents SET body = '{broken'")
        connection.close()
    else:
        path.write_bytes(b"{}" * 5_000 if damage == "text" else path.read_bytes()[:4096])
    again = find_store("", str(tmp_path))
    with pytest.raises(StoreError, match="cannot be used"):
        again.load((NOTES,), NOW)
    assert any(".damaged-" in each.name for each in tmp_path.iterdir())
    assert value(again, NOTES) == {}
    again.update(NOTES, replace_with({"fresh": 1}), NOW)
    assert value(find_store("", str(tmp_path)), NOTES) == {"fresh": 1}


def test_an_open_store_notices_that_its_file_was_replaced(tmp_path: Path) -> None:
    opened_store, other = find_store("", str(tmp_path)), find_store("", str(tmp_path))
    opened_store.update(NOTES, replace_with({"a": 1}), NOW)
    for path in tmp_path.iterdir():
        path.unlink()
    other.update(NOTES, replace_with({"b": 1}), NOW)
    assert value(opened_store, NOTES) == {"b": 1}


def test_a_folder_that_cannot_be_written_is_said(tmp_path: Path) -> None:
    (tmp_path / "no-folder").write_text("")
    opened_store = find_store("", str(tmp_path / "no-folder" / "state"))
    with pytest.raises(StoreError, match="cannot be used"):
        opened_store.update(NOTES, replace_with({"a": 1}), NOW)
    assert opened_store.load((NOTES,), NOW) == ({},)


def test_a_read_only_folder_is_said(tmp_path: Path) -> None:
    """Runs as an account that the folder's mode binds: root may write anywhere."""
    folder = tmp_path / "state"
    folder.mkdir()
    folder.chmod(0o555)
    tmp_path.chmod(0o755)
    child = os.fork()
    if child == 0:
        try:
            if os.geteuid() == 0:
                for parent in folder.parents:
                    if not parent.stat().st_mode & 1:
                        parent.chmod(parent.stat().st_mode | 0o111)
                os.setuid(65534)
            find_store("", str(folder)).update(NOTES, replace_with({"a": 1}), NOW)
            os._exit(1)
        except StoreError:
            os._exit(0)
        finally:
            os._exit(2)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def test_a_later_format_is_not_touched(tmp_path: Path) -> None:
    path = tmp_path / "state.db"
    SqliteStore(str(path), (*MIGRATIONS, "CREATE TABLE later (a)")).update(NOTES, replace_with({"a": 1}), NOW)
    with pytest.raises(StoreError, match="later toolgate"):
        find_store("", str(tmp_path)).load((NOTES,), NOW)
    assert [each.name for each in tmp_path.iterdir() if "damaged" in each.name] == []


def test_an_earlier_format_is_brought_up_and_keeps_what_it_held(tmp_path: Path) -> None:
    find_store("", str(tmp_path)).update(NOTES, replace_with({"a": 1}), NOW)
    later = SqliteStore(str(tmp_path / "state.db"), (*MIGRATIONS, "ALTER TABLE documents ADD COLUMN extra TEXT"))
    assert value(later, NOTES) == {"a": 1}
    with sqlite3.connect(tmp_path / "state.db") as connection:
        assert connection.execute("PRAGMA user_version").fetchone() == (len(MIGRATIONS) + 1,)
        assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    connection.close()


def test_a_writer_waits_for_another(tmp_path: Path) -> None:
    opened_store = find_store("", str(tmp_path))
    opened_store.update(COUNTER, add_one, NOW)
    inside, go_on = threading.Event(), threading.Event()

    def add_slowly(before: Document) -> tuple[Document, int]:
        inside.set()
        go_on.wait(2)
        return add_one(before)

    first = threading.Thread(target=lambda: opened_store.update(COUNTER, add_slowly, NOW))
    first.start()
    inside.wait(5)
    threading.Timer(0.2, go_on.set).start()
    assert opened_store.update(COUNTER, add_one, NOW) == 3
    first.join()


# ---- the supervisor's


def test_one_users_state_is_not_anothers(keeper: str, tmp_path: Path) -> None:
    first, other = find_store(keeper, ""), find_store(keeper.replace("?1000", "?1001"), "")
    first.update(NOTES, replace_with({"a": 1}), NOW)
    assert value(other, NOTES) == {}
    assert value(first, NOTES) == {"a": 1}
    assert sorted(each.name for each in (tmp_path / "kept" / "users").iterdir()) == ["1000"]
    first.close()
    other.close()


def test_a_keeper_that_is_gone_is_said(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="no way to it"):
        find_store(f"supervised:{tmp_path}/gone?1000", "").load((NOTES,), NOW)


@pytest.mark.parametrize("url", ["supervised:", "supervised:relative?1", "supervised:/x", "supervised:/x?root"])
def test_what_names_no_keeper_is_said(url: str) -> None:
    with pytest.raises(StoreError, match="no socket and user"):
        find_store(url, "")


def test_a_workers_line_never_says_yes(tmp_path: Path) -> None:
    """Sends the same requests over the connection that a supervisor hands to a worker."""
    worker, root = KeptFor(str(tmp_path), 1000, may_answer=False), KeptFor(str(tmp_path), 1000, may_answer=True)
    answer = {"do": "exchange", "key": ["session", "s", ANSWERS], "before": {}, "after": {"a": 1}, "now": NOW, "until": None}
    assert "not this account's" in worker.answer_question(dict(answer))["error"][1]
    assert worker.answer_question({"do": "load", "keys": [["session", "s", ANSWERS]], "now": NOW}) == {"is": ({},)}
    assert root.answer_question(dict(answer)) == {"is": True}
    assert root.answer_question(dict(answer)) == {"is": False}, "it is not what the change was made from any more"
    root.close()


@pytest.mark.parametrize(
    "asked",
    [
        {},
        {"do": "close"},
        {"do": "own"},
        {"do": "load"},
        {"do": "load", "keys": 1, "now": NOW},
        {"do": "read", "name": "../state.db"},
        {"do": "read", "name": "policy/../../x"},
        {"do": "write", "name": "/etc/x", "data": ""},
        {"do": "record", "day": "../x", "text": "{}\n"},
        {"do": "record", "day": "2026-11-20", "text": "{}\n{}\n"},
        {"do": "serve", "user": 0},
    ],
)
def test_what_no_worker_asks_is_no_question(asked: dict[str, object], tmp_path: Path) -> None:
    answer = KeptFor(str(tmp_path), 1000, may_answer=False).answer_question(dict(asked))
    assert set(answer) == {"error"}
    assert [path.name for path in tmp_path.rglob("*") if path.is_file()] == []


# ---- the server


def test_a_server_that_was_killed_is_missed_and_found_again(server: Cluster, make: Make) -> None:
    opened = make("postgres").open()
    opened.update(COUNTER, add_one, NOW)
    server.kill()
    try:
        with pytest.raises(StoreError, match="does not answer"):
            opened.update(COUNTER, add_one, NOW)
        with pytest.raises(StoreError, match="does not answer"):
            opened.load((COUNTER,), NOW)
    finally:
        server.start()
    assert opened.update(COUNTER, add_one, NOW) == 2
    server.kill()
    server.start()  # between two calls: nobody noticed
    assert value(opened) == {"n": 2}
    server.kill()
    server.start()
    assert opened.update(COUNTER, add_one, NOW) == 3


def test_without_its_tables_it_says_what_to_do(server: Cluster) -> None:
    bare = find_store(server.url, "")
    with pytest.raises(StoreError, match="toolgate store migrate"):
        bare.load((NOTES,), NOW)
    bare.close()


def test_the_password_is_not_repeated() -> None:
    with pytest.raises(StoreError) as raised:
        find_store("postgresql://u:hunter2@127.0.0.1:1/db", "").load((NOTES,), NOW)
    assert "hunter2" not in str(raised.value)


def test_only_the_approvers_role_says_yes(server: Cluster, make: Make) -> None:
    import psycopg

    owned = make("postgres")
    database = owned.url.rpartition("/")[2]
    with psycopg.connect(server.url, autocommit=True) as connection:
        for role in ("gate", "approver"):
            connection.execute(f"CREATE ROLE {role}_{database} LOGIN")
    migrate(owned.url, f"gate_{database}", f"approver_{database}")
    gate, approver = (
        StoreAccess(server.url_of(f"{role}_{database}", database), "", owned.made).open() for role in ("gate", "approver")
    )
    requests_key, answers = Key(SESSION, "asked"), Key(SESSION, ANSWERS)
    gate.update(requests_key, replace_with({"r": 1}), NOW)
    with pytest.raises(StoreError, match="may not"):
        gate.update(answers, replace_with({"r": "approved"}), NOW)
    assert value(gate, answers) == {}
    approver.update(answers, replace_with({"r": "approved"}), NOW)
    assert gate.load((requests_key, answers), NOW) == ({"r": 1}, {"r": "approved"})
    with pytest.raises(StoreError, match="may not"):
        approver.update(requests_key, replace_with({"r": 2}), NOW)

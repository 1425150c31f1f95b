"""Cost of reading the store, compared with an empty loop of the same rounds and the smallest query to the server."""

import json
import os
import statistics
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from measuring import calibration, cpu, interleave, ratio, request_for

from contracts.cluster import cluster
from toolgate.app import App
from toolgate.model.request import Request
from toolgate.model.store import ANSWERS, Key, Scope
from toolgate.stores import find_store

Figure = Callable[..., None]
NOW = 1_800_000_000.0
KEYS = tuple(
    Key(scope, name)
    for scope in (Scope("session", "claude-code/bench"), Scope("project", "/home/me/project"))
    for name in ("asked", ANSWERS, "used", "ended")
)
"""What a call that asks looks up, in one look."""
ROUNDS = 300


def test_lookup_in_a_file(benchmark: Any, tmp_path: Path, figure: Figure) -> None:
    store = find_store("", str(tmp_path))
    for key in KEYS:
        store.update(key, lambda _before: ({"id": {"digest": "0" * 64, "until": NOW}}, None), NOW)
    store.load(KEYS, NOW)
    figures = interleave(ROUNDS, look=lambda: cpu(partial(store.load, KEYS, NOW)), loop=lambda: cpu(calibration))
    median, times = statistics.median(figures["look"]), ratio(figures, "look", "loop")
    figure(
        "a look for approvals in SQLite, 8 documents", f"{median:.3f} ms, {times:.2f}x the calibration loop", "0.2 ms; gate 1.0x"
    )
    assert times <= 1.0
    benchmark.pedantic(store.load, (KEYS, NOW), rounds=20)


def test_use_in_a_file(benchmark: Any, tmp_path: Path, figure: Figure) -> None:
    store = find_store("", str(tmp_path))

    def use() -> None:
        store.update(KEYS[2], lambda before: ({"n": before.get("n", 0) + 1}, None), NOW)

    use()
    figures = interleave(ROUNDS, use=lambda: cpu(use), loop=lambda: cpu(calibration))
    figure("an approval taken in SQLite", f"{statistics.median(figures['use']):.3f} ms", "")
    benchmark.pedantic(use, rounds=20)


def test_facts_of_a_session(figure: Figure, tmp_path: Path) -> None:
    """Whole calls with and without a session id: without one, nothing is remembered."""
    project = tmp_path / "project"
    project.mkdir()
    (tmp_path / "gate").mkdir(mode=0o700)
    app = App()

    def handle(command: str, call: str) -> None:
        request = request_for(command, project)
        payload = {**json.loads(request.payload), "tool_use_id": call}
        environ = {**request.environ, "TOOLGATE_HOME": str(tmp_path / "gate")}
        app.handle(Request(request.host, request.event, json.dumps(payload).encode(), environ, request.cwd, os.getuid(), NOW))

    variants = {
        f"{name}, {'with' if call else 'without'} an id": partial(handle, command, call)
        for name, command in (("a folder", "mkdir out"), ("nothing", "git status"))
        for call in ("toolu_bench", "")
    }
    figures = interleave(ROUNDS, **{name: partial(cpu, work) for name, work in variants.items()})
    for name, bar in (("a folder", "0.05 ms"), ("nothing", "0 ms")):
        pairs = zip(figures[f"{name}, with an id"], figures[f"{name}, without an id"], strict=True)
        added = statistics.median(with_id - without for with_id, without in pairs)
        figure(f"what a session remembers of a call that creates {name}", f"{added:.3f} ms", bar)


def test_lookup_on_a_server(benchmark: Any, figure: Figure) -> None:
    """Wall time, because the server does the work; beside `SELECT 1` on a connection of the same kind, in the same rounds."""
    import psycopg

    from toolgate.stores.postgres import PostgresStore

    with cluster() as server, psycopg.connect(server.url, autocommit=True) as bare:
        store = PostgresStore(server.url)
        store.migrate()
        for key in KEYS:
            store.update(key, lambda _before: ({"id": {"digest": "0" * 64, "until": NOW}}, None), NOW)
        for _ in range(20):
            store.load(KEYS, NOW)
            bare.execute("SELECT 1").fetchone()
        figures = interleave(
            ROUNDS,
            look=lambda: wall(lambda: store.load(KEYS, NOW)),
            one=lambda: wall(lambda: bare.execute("SELECT 1").fetchone()),
        )
        look, one = statistics.median(figures["look"]), statistics.median(figures["one"])
        times = ratio(figures, "look", "one")
        figure(
            "a look for approvals in PostgreSQL on loopback",
            f"{look:.3f} ms wall, {look - one:.3f} ms beyond `SELECT 1` ({one:.3f} ms), {times:.1f}x",
            "0.6 ms beside SELECT 1; gate 8x",
        )
        assert times <= 8
        benchmark.pedantic(store.load, (KEYS, NOW), rounds=20)
        store.close()


def wall(work: Callable[[], object]) -> float:
    """Returns the milliseconds of wall time."""
    began = time.perf_counter_ns()
    work()
    return (time.perf_counter_ns() - began) / 1e6

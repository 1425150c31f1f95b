"""Cost and results of the search for secrets: by kind of text, compared with other scanners, and its growth."""

import gc
import math
import re
import statistics
import sysconfig
import time
import tracemalloc
from collections import Counter
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from measuring import calibration, cpu
from specimens import ORDINARY, PAGE, assignments, harmless_texts, of_detect_secrets, page

from toolgate.redaction.detectors import KINDS
from toolgate.redaction.detectors.tokens import TOKENS
from toolgate.redaction.finder import Finder

Figure = Callable[..., None]
ROUNDS = 60


@pytest.fixture(scope="module")
def finder() -> Finder:
    finder = Finder()
    for kind in (*ORDINARY, "adversarial"):
        finder.find(page(kind, 0))
    gc.collect()
    gc.freeze()  # as the daemon does: what the tests have in memory is none of its business
    return finder


@pytest.mark.parametrize("kind", [*ORDINARY, "adversarial"])
def test_a_page(benchmark: Any, finder: Finder, figure: Figure, kind: str) -> None:
    """Another text each round, so that nothing is remembered."""
    pages = [page(kind, seed) for seed in range(1, ROUNDS + 1)]
    costs = sorted(cpu(partial(finder.find, text)) for text in pages)
    loop = statistics.median(cpu(calibration) for _ in range(20))
    p50, p99 = costs[ROUNDS // 2], costs[int(ROUNDS * 0.99)]
    bar = "8 ms" if kind == "adversarial" else "3.5 ms"
    found = len(finder.find(pages[0]))
    figure(f"secrets in 50 kB, {kind} ({found} found)", f"P50 {p50:.2f} ms, P99 {p99:.2f} ms, {p50 / loop:.2f}x the loop", bar)
    assert p50 <= (20 if kind == "adversarial" else 10) * loop
    benchmark.pedantic(finder.find, (pages[0],), rounds=5)


@pytest.mark.parametrize("kind", ["source", "environment", "adversarial"])
def test_growth(benchmark: Any, finder: Finder, figure: Figure, kind: str) -> None:
    points = []
    for doubled in range(5):
        text = page(kind, 1, PAGE * 2**doubled)
        points.append((math.log(len(text)), math.log(statistics.median(cpu(partial(finder.find, text)) for _ in range(5)))))
    x, y = (statistics.mean(each) for each in zip(*points, strict=True))
    exponent = sum((a - x) * (b - y) for a, b in points) / sum((a - x) ** 2 for a, _ in points)
    figure(f"growth of looking for secrets from 50 kB to 800 kB, {kind}, exponent", f"{exponent:.2f}", "1.1; gate 1.3")
    assert exponent < 1.3
    benchmark.pedantic(finder.find, (page(kind, 1),), rounds=3)


def test_building_and_memory(benchmark: Any, finder: Finder, figure: Figure) -> None:
    build = statistics.median(cpu(Finder) for _ in range(11))
    figure(f"building the finder, {len(KINDS)} kinds", f"{build:.2f} ms", "5 ms")
    text = page("environment", 1, 5_000_000)
    tracemalloc.start()
    finder.find(text)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    figure("memory beside 5 MB looked through", f"{peak / len(text):.2f}x the text", "3x")
    assert peak <= 3 * len(text)
    benchmark.pedantic(Finder, rounds=3)


def test_beside_others(benchmark: Any, finder: Finder, figure: Figure) -> None:
    """detect-secrets line by line with its own plugins, and our own rules one by one with `in` before each."""
    rules = [(row.marks.split(), re.compile(row.pattern)) for row in TOKENS]

    def one_by_one(text: str) -> int:
        return sum(len(pattern.findall(text)) for marks, pattern in rules if any(mark in text for mark in marks))

    pytest.importorskip("detect_secrets", reason="`make bench-redaction` installs it")
    from detect_secrets.core.scan import scan_line
    from detect_secrets.settings import default_settings

    for kind in ORDINARY:
        text = page(kind, 1)
        with default_settings():
            began = time.process_time()
            for line in text.splitlines():
                list(scan_line(line))
            theirs = (time.process_time() - began) * 1000
        ours = statistics.median(cpu(partial(finder.find, text)) for _ in range(5))
        single = statistics.median(cpu(partial(one_by_one, text)) for _ in range(3))
        figure(
            f"50 kB, {kind}, beside others", f"{ours:.1f} ms; detect-secrets {theirs:.0f} ms; rules one by one {single:.0f} ms"
        )
    benchmark.pedantic(finder.find, (page("source", 1),), rounds=3)


def test_what_is_found(benchmark: Any, finder: Finder, figure: Figure) -> None:
    ours = list(assignments(4000))
    any_part = whole = 0
    for text, value in ours:
        start = text.index(value)
        spans = [(each.start, each.end) for each in finder.find(text)]
        any_part += any(begin < start + len(value) and end > start for begin, end in spans)
        whole += any(begin <= start and end >= start + len(value) for begin, end in spans)
    figure(f"found of {len(ours)} assignments in 20 ways", f"{any_part / len(ours):.1%}, whole {whole / len(ours):.1%}", "97%")
    look_alikes = list(harmless_texts())
    alarms = sum(any(each.kind != "email" for each in finder.find(text)) for text in look_alikes)
    figure(f"false alarms in {len(look_alikes)} look-alikes", str(alarms), "4.6%")
    assert any_part >= 0.95 * len(ours)
    assert alarms <= 0.046 * len(look_alikes)
    benchmark.pedantic(finder.find, (ours[0][0],), rounds=3)


def test_what_another_scanner_finds(benchmark: Any, finder: Finder, figure: Figure) -> None:
    """Texts made from its patterns, except those that it finds by words alone, or without the mark that every real one has."""
    pytest.importorskip("detect_secrets", reason="`make bench-redaction` installs it")
    theirs = list(of_detect_secrets())
    missed = Counter(plugin for plugin, text in theirs if not finder.find(text))
    share = 1 - missed.total() / len(theirs)
    most = ", ".join(f"{plugin} {count}" for plugin, count in missed.most_common(3))
    figure(f"found of {len(theirs)} texts made from detect-secrets' patterns", f"{share:.1%} (missed most: {most})")
    assert share >= 0.6
    benchmark.pedantic(finder.find, (theirs[0][1],), rounds=3)


def test_alarms_in_real_code(benchmark: Any, finder: Finder, figure: Figure) -> None:
    """The standard library and the installed packages: nearly every finding is a false one."""
    size = found = 0
    for root in {sysconfig.get_path("stdlib"), sysconfig.get_path("purelib")}:
        for path in sorted(Path(root).rglob("*.py"))[:3000]:
            if "detect_secrets" in path.parts or "toolgate" in path.parts:
                continue
            text = path.read_text(encoding="utf-8", errors="replace")
            size += len(text)
            found += sum(each.kind != "email" for each in finder.find(text))
    figure(f"findings in {size / 1e6:.0f} MB of installed Python code", f"{found}, {found / (size / 1e6):.2f} a MB")
    benchmark.pedantic(finder.find, ("x",), rounds=3)

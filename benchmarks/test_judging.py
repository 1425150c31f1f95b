"""Cost of judging in a warm process, and its growth with the text."""

import gc
import math
import statistics
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from measuring import LINES, ONE, THIRTY, calibration, cpu, interleave, mixed_lines, ratio, request_for

from toolgate.app import App
from toolgate.machine.simulated_world import SimulatedWorld
from toolgate.model.action import RunShell
from toolgate.model.decision import Verdict
from toolgate.model.event import Caller, Scene
from toolgate.model.rule import Policy, WrittenRule
from toolgate.shell.syntax.parser import parse
from toolgate.transport.warmup import freeze_memory, warm_up
from toolgate.understand import understand

Figure = Callable[..., None]


@pytest.fixture(scope="module", autouse=True)
def as_in_a_daemon() -> Iterator[None]:
    before = gc.get_threshold()
    warm_up()
    freeze_memory()
    yield
    gc.unfreeze()
    gc.set_threshold(*before)


def test_one_line(benchmark: Any, app: App, project: Path, figure: Figure) -> None:
    request = request_for(ONE, project)
    app.handle(request)
    known = App()
    known.handle(request)
    figures = interleave(
        300,
        first=lambda: cpu(lambda: app.handle(request)),
        again=lambda: cpu(lambda: known.handle(request)),
        loop=lambda: cpu(calibration),
    )
    for name, what in (("first", "bytes to answer"), ("again", "that was asked for before")):
        description = f"{statistics.median(figures[name]):.2f} ms, {ratio(figures, name, 'loop'):.2f}x the calibration loop"
        figure(f"one line, `{ONE}`, {what}", description, "0.5 ms; gate 2.0x")
    assert ratio(figures, "first", "loop") <= 2.0
    benchmark.pedantic(app.handle, (request,), rounds=20)


def test_a_thousand_rules(benchmark: Any, app: App, project: Path, figure: Figure) -> None:
    """Measures what a user's own rules of every kind add to calls that none of them matches."""
    kinds = ("program", "path", "text", "operation", "connect")
    values = ("tool{}", "~/x{}/**", r"\bdeploy-{}\b.*--prod", "git.x{}", "h{}.example.com")
    bare = WrittenRule("user.0", Verdict.ASK, "because", "user")
    own = (bare._replace(id=f"user.{n}", **{kinds[n % 5]: values[n % 5].format(n)}) for n in range(1000))  # type: ignore[arg-type]
    scene = Scene(Caller("bench"), str(project), str(project), str(project.parent), {"HOME": str(project.parent)})
    policies = {"none": Policy(), "many": Policy(written=tuple(own), digest="a thousand rules")}
    calls = [partial(app.judge, RunShell(line), scene) for line in LINES]
    runs = {name: partial(_judge_all, calls, policy) for name, policy in policies.items()}
    for run in runs.values():
        run()
    figures = interleave(100, none=lambda: cpu(runs["none"]), many=lambda: cpu(runs["many"]))
    times = ratio(figures, "many", "none")
    figure("1,000 rules of a user's own, beside none: judging alone, one line", f"{times:.2f}x", "1.20x of a call; gate 2.0x")
    assert times <= 2.0
    benchmark.pedantic(runs["many"], rounds=20)


def _judge_all(calls: list[Any], policy: Policy) -> None:
    for call in calls:
        call(policy)


def test_mixed_set(benchmark: Any, app: App, project: Path, figure: Figure) -> None:
    requests = [request_for(command, project) for command in mixed_lines(1_000)]
    for request in requests[:200]:
        app.handle(request)
    costs = sorted(cpu(partial(app.handle, request)) for request in requests)
    p50, p99 = costs[len(costs) // 2], costs[int(len(costs) * 0.99)]
    figure("the mixed set, 1,000 calls", f"P50 {p50:.2f} ms, P99 {p99:.2f} ms", "P99 < 5 ms (the designs' own)")
    loop = statistics.median(cpu(calibration) for _ in range(50))
    assert p99 <= 25 * loop
    benchmark.pedantic(app.handle, (requests[0],), rounds=20)


def test_understanding_alone(benchmark: Any, project: Path, figure: Figure) -> None:
    scene = Scene(Caller("bench"), str(project), str(project), str(project.parent), {"HOME": str(project.parent)})
    world = SimulatedWorld(folders=frozenset((str(project),)))
    texts = (
        ("one line", ONE, "0.3 ms"),
        ("30 lines", THIRTY, "6 ms"),
        ("16 lines", "\n".join(LINES), ""),
        ("500 lines", "\n".join((THIRTY.split("\n") * 17)[:500]), "90 ms"),
    )
    for name, text, bar in texts:
        understand(RunShell(text), scene, world)
        own = (f"{text}\n# {n}" for n in range(1_000))  # a text is parsed once: each round has its own
        rounds = 100 if len(text) < 4_000 else 7
        median = statistics.median(cpu(partial(understand, RunShell(next(own)), scene, world)) for _ in range(rounds))
        figure(f"text to effects, {name}", f"{median:.2f} ms", bar)
    benchmark.pedantic(understand, (RunShell(ONE), scene, world), rounds=20)


def test_beside_other_parsers(benchmark: Any, figure: Figure) -> None:
    """Text to a tree, in the same rounds. The others do different work: bashlex (pure Python) and tree-sitter (C) expand nothing,
    and continue where a text is malformed."""
    bashlex = pytest.importorskip("bashlex", reason="`make bench` installs it")
    grammar = pytest.importorskip("tree_sitter_bash")
    from tree_sitter import Language, Parser

    tree_sitter = Parser(Language(grammar.language()))
    for name, text in (("one line", ONE), ("16 lines", "\n".join(LINES))):
        own = (f"{text}\n: {n}" for n in range(1_000))

        def parse_next(texts: Iterator[str] = own) -> float:
            return cpu(partial(parse, next(texts)))

        figures = interleave(
            50,
            ours=parse_next,
            bashlex=lambda text=text: cpu(partial(bashlex.parse, text)),  # type: ignore[misc]
            tree_sitter=lambda text=text: cpu(partial(tree_sitter.parse, text.encode())),  # type: ignore[misc]
        )
        description = ", ".join(f"{of} {statistics.median(figures[key]):.2f} ms" for key, of in PARSERS.items())
        figure(f"text to tree, {name}", description, "")
    benchmark.pedantic(parse, (ONE,), rounds=20)


PARSERS = {"ours": "toolgate", "bashlex": "bashlex 0.18", "tree_sitter": "tree-sitter-bash 0.25"}


def test_growth(benchmark: Any, project: Path, figure: Figure) -> None:
    """From 1 kB on, doubled: the exponent of cost over length."""
    scene = Scene(Caller("bench"), str(project), str(project), str(project.parent), {"HOME": str(project.parent)})
    world = SimulatedWorld(folders=frozenset((str(project),)))
    line = 'cp "a$n" "b$n" && echo "x $HOME" | tee c\n'
    points: list[tuple[float, float]] = []
    for doubled in range(5):
        text = line * (25 * 2**doubled)
        texts = [f"{text}# {round_}\n" for round_ in range(3)]  # a text is parsed once: each round has its own
        cost = min(cpu(partial(understand, RunShell(each), scene, world)) for each in texts)
        points.append((math.log(len(text)), math.log(cost)))
    (x0, y0), (x1, y1) = points[0], points[-1]
    exponent = (y1 - y0) / (x1 - x0)
    figure("growth of understanding from 1 kB to 17 kB, exponent", f"{exponent:.2f}", "1.1; gate 1.3")
    assert exponent <= 1.3
    benchmark.pedantic(understand, (RunShell(line), scene, world), rounds=5)

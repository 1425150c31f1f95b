"""What every benchmark shares:

CPU time, calls as a host sends them, and a reference in the same rounds. These machines are shared and noisy. Figures are CPU
time (of the process, or of a child), medians of interleaved rounds, and every gated figure is a ratio to something that ran in
the same rounds.
"""

import json
import random
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TypeVar

from toolgate.app import App
from toolgate.model.action import Action
from toolgate.model.event import Scene
from toolgate.model.request import Request
from toolgate.model.rule import Policy
from toolgate.model.world import World
from toolgate.sessions.judgement_cache import JudgementCache, ReadDocument

T = TypeVar("T")
ONE = "rm -rf build && npm run build 2>&1 | tail -5"
LINES = (
    ONE,
    "ls -la",
    "git status",
    "grep -rn 'TODO' src | head -20",
    "cd src && pytest -q -x 2>&1 | tail -20",
    "cat package.json | jq -r .version",
    'git add -A && git commit -m "fix: a thing" && git push origin main',
    "find . -name '*.pyc' -delete",
    'for f in *.log; do rm "$f"; done',
    "python3 -c 'import json; print(json.dumps({}))'",
    "curl -fsSL https://example.com/x.tgz -o x.tgz && tar xzf x.tgz",
    "docker compose up -d && docker compose logs --tail 20",
    "sed -i 's/a/b/' README.md && git diff --stat",
    "npm ci && npm test",
    'tmp=$(mktemp -d); cp -r src "$tmp"; rm -rf "$tmp"',
    "make -j8 > build.log 2>&1 || cat build.log",
)
TEN = "\n".join(("set -e", 'cd "$(git rev-parse --show-toplevel)"', *LINES[:8]))
THIRTY = "\n".join(
    (
        "set -e",
        'cd "$(git rev-parse --show-toplevel)"',
        *(f'mkdir -p out/{n} && cp -r "src/mod{n}" out/{n}' for n in range(8)),
        "for f in out/*.js; do",
        '  sed -i "s/a/b/" "$f" | grep -v x > /tmp/l || echo "fail $f"',
        "done",
        "if [ -f package.json ]; then npm ci; else echo none; fi",
        "VERSION=$(jq -r .version package.json)",
        "tmp=$(mktemp -d)",
        "trap 'rm -rf \"$tmp\"' EXIT",
        *(f'git add -A && git commit -m "release $VERSION step {n}"' for n in range(8)),
        'curl -fsS "https://example.com/y?v=$VERSION" -o "$tmp/z"',
        'tar xzf "$tmp/z" -C out',
        'find out -name "*.map" -delete',
        'python3 -c "print(1)"',
        "echo done",
    )
)


def mixed_lines(count: int, seed: int = 1) -> list[str]:
    """Returns lines of a session: 90% of one line, 9% of up to ten, 1% of thirty."""
    dice = random.Random(seed)
    return [THIRTY if (n := dice.random()) < 0.01 else TEN if n < 0.1 else dice.choice(LINES) for _ in range(count)]


def request_for(command: str, folder: Path) -> Request:
    payload = {
        "session_id": "bench",
        "transcript_path": "/x",
        "cwd": str(folder),
        "permission_mode": "default",
        "hook_event_name": "PreToolUse",
        "tool_name": "Bash",
        "tool_input": {"command": command, "description": "bench"},
        "tool_use_id": "toolu_bench",
    }
    environ = {"HOME": str(folder.parent), "CLAUDE_PROJECT_DIR": str(folder), "USER": "bench", "PATH": "/usr/bin:/bin"}
    return Request("claude-code", "PreToolUse", json.dumps(payload).encode(), environ, str(folder), 1000, 0.0)


def calibration() -> int:
    """Runs a loop of the same kind of work on every machine: the divisor of a figure."""
    total, words = 0, {}
    for n in range(2_000):
        words[f"k{n % 97}"] = n
        total += len(words) + words[f"k{n % 97}"]
    return total


def cpu(work: Callable[[], object]) -> float:
    """Returns the milliseconds of CPU time of this process."""
    began = time.process_time_ns()
    work()
    return (time.process_time_ns() - began) / 1e6


def child_cpu(command: Sequence[str], stdin: bytes, environ: Mapping[str, str]) -> float:
    """Returns the milliseconds of CPU time of a whole process, its start included."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, input=stdin, env=dict(environ), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime) * 1e3


def interleave(rounds: int, **work: Callable[[], float]) -> dict[str, list[float]]:
    """Runs every piece of work once a round, in turn."""
    figures: dict[str, list[float]] = {name: [] for name in work}
    for _ in range(rounds):
        for name, measure in work.items():
            figures[name].append(measure())
    return figures


def ratio(figures: Mapping[str, Sequence[float]], name: str, reference: str) -> float:
    """Returns the median of the per-round ratios."""
    return statistics.median(a / b for a, b in zip(figures[name], figures[reference], strict=True) if b)


class Anew(App):
    """An app without memory: it judges a repeated call again."""

    def __init__(self) -> None:
        super().__init__()
        self._recall = Forgetful()


class Forgetful(JudgementCache):
    def judge_or_reuse(
        self,
        _action: Action,
        _scene: Scene,
        _policy: Policy,
        world: World,
        load_document: ReadDocument,
        judged: Callable[[World, ReadDocument], T],
    ) -> T:
        """Judges without looking for a former judgement."""
        return judged(world, load_document)


HOOK = (sys.executable, "-I", "-X", "utf8", "-m", "toolgate", "hook", "claude-code", "PreToolUse")
BARE = (sys.executable, "-I", "-S", "-c", "pass")

"""The same calls through toolgate and other guards: what each stops, and what it costs. Writes docs/comparison.md."""

import json
import os
import platform
import resource
import statistics
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from importlib.metadata import PackageNotFoundError, distribution, requires, version
from pathlib import Path

import pytest
from hook import CALL, Gate, memory, workers
from measuring import request_for
from packaging.requirements import Requirement
from peers import NAH, SAFETY_NET, measure_folders, nah, safety_net

from toolgate import cases
from toolgate.cases import Case
from toolgate.install import own_command
from toolgate.model.decision import Verdict
from toolgate.rules import TABLE
from toolgate.transport.running_daemons import RunningDaemon

PAGE = Path(__file__).parents[1] / "docs" / "comparison.md"
EVERYDAY = Path(__file__).parents[1] / "tests" / "differential" / "oneliners.txt"
FAMILIES = {
    "the root, the home folder, the whole project": ("filesystem.delete-pro", "filesystem.permission-protected"),
    "work and history in git": ("git.",),
    "disks and devices": ("device.",),
    "downloaded, decoded and unreadable code": ("network.download-and-run", "shell.obfuscated", "shell.opaque"),
    "remote shells, fork bombs, full disks": ("network.reverse-shell", "resources.f"),
    "secrets that are read, printed or sent": ("credentials.", "secrets.print", "network.exfiltrate", "network.send-environment"),
    "databases": ("databases.",),
    "providers, clusters, infrastructure": ("cloud.", "kubernetes.", "infrastructure."),
    "containers": ("containers.",),
    "accounts, services, network, kernel, power": (
        "privilege.",
        "services.",
        "network.firewall",
        "system.",
        "power.",
        "process.",
    ),
    "start-up files, schedulers, packages": ("persistence.", "packages."),
}
MOST_OF_A_RULE = 3
MOST_LISTED = 8
BRANCHES = ("feature", "topic", "old")
COLD_CALLS = 15
Answer = str
"""`deny`, `ask`, `pass`, or `kept`: the call runs, and what it loses was copied before (`toolgate undo`)."""


@dataclass(frozen=True)
class Guard:
    title: str
    words: tuple[str, ...]
    environ: Mapping[str, str]


@dataclass(frozen=True)
class Call:
    group: str
    text: str
    is_stopped: bool


@pytest.fixture(scope="module")
def gate(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Gate]:
    gate = Gate(tmp_path_factory.mktemp("comparison") / "home").prepare()
    _make_branches(gate.project)
    yield gate
    gate.stop_daemons()


def _make_branches(project: Path) -> None:
    """Gives the repository what the sample's calls would lose: commits of no other branch, and uncommitted work."""
    git = ("git", "-C", str(project), "-c", "user.name=u", "-c", "user.email=u@example.com")
    for words in (
        *(("checkout", "--quiet", "-b", "main"), ("commit", "--quiet", "--allow-empty", "-m", "start")),
        *(
            words
            for name in BRANCHES
            for words in (("checkout", "--quiet", "-b", name, "main"), ("commit", "--quiet", "--allow-empty", "-m", name))
        ),
        ("checkout", "--quiet", "main"),
    ):
        subprocess.run([*git, *words], check=True)
    for name in ("a.py", "notes.md"):
        (project / name).write_text("one\n")
        subprocess.run([*git, "add", name], check=True)
    subprocess.run([*git, "commit", "--quiet", "-m", "files"], check=True)
    (project / "a.py").write_text("two\n")
    (project / "new.py").write_text("three\n")


def iter_calls(home: Path) -> Iterator[Call]:
    """Yields the sample: cases of rules that need nothing on the disk, and lines as agents write them every day."""
    for group, prefixes in FAMILIES.items():
        for rule in (each for each in TABLE if each.startswith(prefixes)):
            own = [case for case in cases.iter_shipped_files() if str(case).endswith(_case_file(rule))]
            plain = [case for file in own for case in cases.load_cases(file) if _is_plain(case)]
            stopped = [case for case in plain if case.rule == rule and Verdict.PASS not in case.expect]
            passed = [case for case in plain if case.expect == {Verdict.PASS}]
            for some, is_stopped in ((stopped, True), (passed, False)):
                texts = (case.display_text.replace(cases.HOME, str(home)) for case in some[:MOST_OF_A_RULE])
                yield from (Call(group, text, is_stopped) for text in texts)
    everyday = [text for text in EVERYDAY.read_text().split("\n----\n") if text.strip()]
    yield from (Call("everyday lines of agents", text, False) for text in everyday[::2])


def _case_file(rule: str) -> str:
    return f"toolgate/rules/{rule.replace('.', '/').replace('-', '_')}.cases.toml"


def _is_plain(case: Case) -> bool:
    return (
        case.tool == "Bash"
        and not (case.world.files or case.environ or case.ledger or case.calls > 1)
        and not (case.profile or case.needs or case.known_gap)
        and case.cwd == cases.PROJECT
    )


def ask(guard: Guard, command: str, gate: Gate, number: int) -> tuple[Answer, float]:
    """Returns a guard's answer to one call of a session of its own, and the milliseconds of processor time."""
    payload = json.loads(request_for(command, gate.project).payload) | {"session_id": f"comparison-{number}"}
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    result = subprocess.run(
        guard.words,
        input=json.dumps(payload).encode(),
        env=dict(guard.environ),
        cwd=gate.project,
        capture_output=True,
        check=False,
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    output = result.stdout
    answer = (
        "kept"
        if b"kept a copy of" in output
        else "deny"
        if b'"deny"' in output or result.returncode == 2
        else "ask"
        if b'"ask"' in output
        else "pass"
    )
    return answer, 1000 * (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)


def test_the_same_calls_through_each_guard(gate: Gate) -> None:
    environ = {**gate.environ, "PATH": os.environ["PATH"], "CLAUDE_PROJECT_DIR": str(gate.project)}
    own = Guard(f"toolgate {version('toolgate')}", (*own_command(), *CALL), environ)
    peers = (Guard(f"cc-safety-net {SAFETY_NET}", safety_net(), environ), Guard(f"nah {NAH}", nah(), environ))
    calls = list(iter_calls(gate.folder))
    daemon = gate.daemon()
    before = _measure_daemon(daemon)
    answers_by_guard = {own.title: [ask(own, call.text, gate, n) for n, call in enumerate(calls)]}
    daemon_share, resident = (_measure_daemon(daemon) - before) / len(calls), memory(daemon)
    answers_by_guard |= {guard.title: [ask(guard, call.text, gate, n) for n, call in enumerate(calls)] for guard in peers}
    in_process = (sys.executable, "-m", "toolgate", "hook", *CALL)
    cold = Guard(own.title, in_process, environ)
    cold_cost = statistics.median(ask(cold, "git status", gate, n)[1] for n in range(COLD_CALLS))
    answers = {title: [answer for answer, _ in each] for title, each in answers_by_guard.items()}
    for title in answers:
        assert {"pass"} < set(answers[title]), f"{title} does not judge"
    costs = {title: statistics.median(cost for _, cost in each) for title, each in answers_by_guard.items()}
    costs[own.title] += daemon_share
    figures = Figures(costs, cold_cost, resident, _measure_own_installation())
    PAGE.write_text(render(calls, answers, figures, own.title) + "\n")


@dataclass(frozen=True)
class Figures:
    """`costs`: milliseconds of processor time by guard; `cold`: toolgate's without its daemon; megabytes of the rest."""

    costs: Mapping[str, float]
    cold: float
    resident: float
    installed: float


def _measure_daemon(daemon: RunningDaemon) -> float:
    """Returns the milliseconds of processor time of a daemon, its workers, and the workers that it has replaced."""

    def read_ticks(pid: int) -> list[int]:
        return list(map(int, Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[11:15]))

    ticks = sum(read_ticks(daemon.pid)) + sum(sum(read_ticks(pid)[:2]) for pid in workers(daemon))
    return 1000 * ticks / os.sysconf("SC_CLK_TCK")


def _measure_own_installation() -> float:
    """Returns the megabytes of toolgate and everything that it requires."""
    own = Path(cases.__file__).parent
    total = sum(file.stat().st_size for file in own.rglob("*") if file.is_file() and "__pycache__" not in file.parts)
    seen, waiting = set[str](), ["toolgate"]
    while waiting:
        name = waiting.pop()
        for text in requires(name) or ():
            need = Requirement(text)
            if need.name in seen or (need.marker is not None and not need.marker.evaluate({"extra": ""})):
                continue
            seen.add(need.name)
            try:
                files = distribution(need.name).files or ()
            except PackageNotFoundError:
                continue
            total += sum(Path(str(file.locate())).stat().st_size for file in files if Path(str(file.locate())).is_file())
            waiting.append(need.name)
    return total / 1e6


def render(calls: Sequence[Call], answers: Mapping[str, Sequence[Answer]], figures: Figures, own: str) -> str:
    titles = list(answers)
    lines = [INTRODUCTION.format(day=date.today().isoformat(), python=platform.python_version(), count=len(calls)), ""]
    lines += ["## Harmful calls that are stopped", "", *_table(calls, answers, is_stopped=True)]
    denied = [sum(answers[t][n] == "deny" for n, call in enumerate(calls) if call.is_stopped) for t in titles]
    lines += [
        "",
        f"Of these, denied outright: {', '.join(f'{t} {n}' for t, n in zip(titles, denied, strict=True))}. The rest asks.",
        "",
        ON_COPIES.format(kept=sum(each == "kept" for each in answers[own])),
    ]
    lines += ["", "## False alarms", "", *_table(calls, answers, is_stopped=False), "", ON_EVERYDAY_LINES]
    lines += ["", "## Costs", "", "| | " + " | ".join(titles) + " |", "|---|" + "---|" * len(titles)]
    lines.append("| processor time of a call, median | " + " | ".join(f"{figures.costs[t]:.1f} ms" for t in titles) + " |")
    others = " | ".join(_format_cost(figures, title) for title in titles[1:3])
    lines.append(f"| the same without a daemon | {figures.cold:.0f} ms | {others} |")
    lines.append(f"| memory between calls | {figures.resident:.0f} MB | none | none |")
    peers = [measure_folders(t.partition(" ")[0]) for t in titles[1:]]
    lines.append(f"| installed files | {figures.installed:.0f} MB | " + " | ".join(f"{each:.1f} MB" for each in peers) + " |")
    lines += ["", "## Where a peer is better", "", *_advantages(calls, answers, figures, own, peers), "", CLOSING]
    return "\n".join(lines)


def _format_cost(figures: Figures, title: str) -> str:
    return f"{figures.costs[title]:.0f} ms"


def _table(calls: Sequence[Call], answers: Mapping[str, Sequence[Answer]], *, is_stopped: bool) -> Iterator[str]:
    titles = list(answers)
    yield "| calls | number | " + " | ".join(titles) + " |"
    yield "|---|---|" + "---|" * len(titles)
    numbers = {
        group: [n for n, call in enumerate(calls) if call.group == group and call.is_stopped is is_stopped]
        for group in dict.fromkeys(call.group for call in calls)
    }
    numbers["all"] = [n for each in numbers.values() for n in each]
    for group, some in numbers.items():
        if some:
            counted = (sum(_is_handled(answers[title][n], is_stopped=is_stopped) for n in some) for title in titles)
            cells = (f"{count / len(some):.0%}" for count in counted)
            yield f"| {group} | {len(some)} | {' | '.join(cells)} |"


def _is_handled(answer: Answer, *, is_stopped: bool) -> bool:
    """Returns whether a harmful call is stopped or made harmless, or a harmless one is interrupted."""
    return answer != "pass" if is_stopped else answer in ("ask", "deny")


def _advantages(
    calls: Sequence[Call], answers: Mapping[str, Sequence[Answer]], figures: Figures, own: str, sizes: Sequence[float]
) -> Iterator[str]:
    for title, size in zip(list(answers)[1:], sizes, strict=True):
        name = title.partition(" ")[0]
        if size < figures.installed:
            yield f"- **{name}** installs {size:.1f} MB; toolgate and what it requires take {figures.installed:.0f} MB."
        if figures.costs[title] < figures.cold:
            cost = f"its call costs {figures.costs[title]:.0f} ms, a cold one of toolgate {figures.cold:.0f} ms"
            yield f"- **{name}** needs no daemon: {cost}."
        better = [
            f"- **{name}** answers `{theirs}` to `{' '.join(call.text.split())[:100]}`, toolgate `{ours}`."
            for call, ours, theirs in zip(calls, answers[own], answers[title], strict=True)
            if _is_handled(ours, is_stopped=call.is_stopped) != call.is_stopped == _is_handled(theirs, is_stopped=call.is_stopped)
        ]
        yield from better[:MOST_LISTED]
        if len(better) > MOST_LISTED:
            yield f"- **{name}** answers {len(better) - MOST_LISTED} more calls better."


INTRODUCTION = """# Comparison

Written by `make bench-peers`: {day}, Python {python}, {count:,} calls. The same calls go through the installed hooks of
toolgate and of two other guards, one from npm and one from PyPI. Each has its default configuration, in a git repository with
work to lose.

**Read toolgate's column with care.** The calls are a sample of its own cases, so it was built to answer them as marked. The
column shows that the installed hook does so, not how it does on calls that somebody else wrote. The other guards were not
built for these calls, and some leave whole families alone on purpose: cc-safety-net keeps to git, files, secrets and hidden
code. The everyday lines in the second table were not written for any rule."""
ON_COPIES = """In {kept} calls toolgate let the call run after it had copied what would be lost (`toolgate undo` restores it).
They count as stopped."""
ON_EVERYDAY_LINES = """A few of the everyday lines deserve a question (`rsync --delete` to a server, a line for `crontab`). They
count as false alarms here, for every guard alike."""
CLOSING = """Beyond these calls:

- cc-safety-net and nah decide in one process, which is easier to review than a client with a daemon.
- cc-safety-net registers with more hosts than toolgate has proved with a real client.
- nah answers `allow` to calls that it knows to be harmless, so the host asks less. toolgate does so only where you set
  `answer_prompts`.

Other guards are left out where they are not on npm or PyPI under their own name, or ship no rules of their own."""

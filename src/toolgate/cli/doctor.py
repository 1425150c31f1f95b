"""`toolgate doctor`: is the gate in place, whole and able to refuse? Every line says what was looked at, and the remedy."""

import json
import os
import platform
import sys
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from importlib.metadata import version
from typing import Literal

import click

from toolgate import hosts
from toolgate.machine.environment import folders

from .surroundings import AS_JSON, Surroundings, surroundings

State = Literal["fine", "note", "wrong"]
MARKS: dict[State, tuple[str, str]] = {"fine": ("ok", "green"), "note": ("note", "yellow"), "wrong": ("wrong", "red")}


@dataclass(frozen=True, slots=True)
class Check:
    """One thing looked at. `remedy` is a command or a sentence, where there is something to be done."""

    about: str
    state: State
    found: str
    remedy: str = ""


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--selftest", is_flag=True, help="Judge every case that ships.")
@click.option("--repair", is_flag=True, help="Mend the wiring: what `toolgate install` would write.")
@AS_JSON
def doctor(selftest: bool, repair: bool, as_json: bool) -> int:
    """Look at everything the gate stands on. Exit 0 when nothing is wrong.

    \b
    Examples:
      toolgate doctor
      toolgate doctor --selftest
      toolgate doctor --repair
    """
    here = surroundings()
    if repair:
        _repair(here)
    looks: list[Callable[[Surroundings], Iterator[Check]]] = [_versions, _tier, _wiring, _policy, _audit]
    if selftest:
        looks.append(_selftest)
    checks = [check for look in looks for check in look(here)]
    if as_json:
        click.echo(json.dumps([asdict(check) for check in checks], indent=2))
    else:
        for check in checks:
            _show(check)
    return 1 if any(check.state == "wrong" for check in checks) else 0


def _show(check: Check) -> None:
    mark, colour = MARKS[check.state]
    click.secho(f"{mark:5} ", fg=colour, nl=False)
    click.echo(f"{check.about}: {check.found}{f'; {check.remedy}' if check.remedy else ''}")


def _versions(_here: Surroundings) -> Iterator[Check]:
    yield Check("toolgate", "fine", f"{version('toolgate')} on Python {platform.python_version()}, {sys.executable}")
    yield Check("hook", "note", "each call starts an interpreter of its own")


# ---- what stands between the agent and the machine


def _tier(here: Surroundings) -> Iterator[Check]:
    """Who can take the gate away: a hook of the user's own account can be taken away by anything that runs as the user."""
    for name in hosts.HOSTS:
        scopes = [scope for scope in hosts.settings(name).SCOPES if _is_registered(name, scope, here)]
        if scopes:
            found = f"registered in the {' and '.join(scopes)} settings: a seat belt, which code running as you can take off"
            yield Check(f"tier of {name}", "note", found)
        else:
            yield Check(f"tier of {name}", "wrong", "not registered: nothing is guarded", f"toolgate install {name}")


def _is_registered(host: str, scope: str, here: Surroundings) -> bool:
    wiring = hosts.settings(host)
    try:
        with open(wiring.file(scope, here.home, here.project, here.environ), encoding="utf-8") as file:
            return bool(wiring.events(json.load(file)))
    except (OSError, ValueError):
        return False


def _wiring(here: Surroundings) -> Iterator[Check]:
    from toolgate.install.wiring import check_wiring

    for name in hosts.HOSTS:
        problems = check_wiring(name, here.home, here.project, here.environ)
        for problem in problems:
            yield Check(problem.where, "wrong", problem.what, problem.remedy)
        if not problems:
            yield Check(f"wiring of {name}", "fine", "every event, with a deadline, closed when the gate cannot answer")


def _repair(here: Surroundings) -> None:
    from toolgate.install import plan_install

    from .plan_view import carry_out

    for name in hosts.HOSTS:
        plan = plan_install(name, "user", here.home, here.project, here.environ)
        carry_out(plan, False, False, unchanged=f"{name} is wired as it should be", changed=f"{name} is wired again")


# ---- what it decides by, and what it keeps


def _policy(here: Surroundings) -> Iterator[Check]:
    from toolgate.policy import compiled

    result = compiled(here.environ, here.home, here.project)
    for problem in result.problems:
        yield Check("policy", "wrong", str(problem))
    policy = result.merged.policy
    for rule, floor in sorted(policy.floors.items()):
        yield Check("policy", "note", f"{floor.file} lowers the floor of {rule} to {floor.sure.name.lower()}: {floor.reason}")
    if not result.problems:
        yield Check("policy", "fine", f"profile {policy.profile}, digest {policy.digest or 'of the built-in policy'}")


def _audit(here: Surroundings) -> Iterator[Check]:
    folder = f"{folders(here.environ, here.home).state}/audit"
    nearest = folder
    while not os.path.exists(nearest):
        nearest = os.path.dirname(nearest)
    if not os.access(nearest, os.W_OK):
        yield Check(
            "audit", "wrong", f"{nearest} cannot be written: decisions go on, unrecorded", "give its owner the right to write"
        )
        return
    files = sorted(os.listdir(folder)) if os.path.isdir(folder) else []
    yield Check(
        "audit",
        "fine",
        f"{folder}: {len(files)} day{'' if len(files) == 1 else 's'}, the last {files[-1] if files else 'not begun'}",
    )


# ---- proofs


def _selftest(_here: Surroundings) -> Iterator[Check]:
    from toolgate import cases

    from .test import policy_for

    outcomes = [cases.run(case, policy_for(case)) for path in cases.shipped() for case in cases.load(path)]
    wrong = [outcome for outcome in outcomes if not outcome.passed]
    for outcome in wrong[:10]:
        yield Check(outcome.case.id, "wrong", f"{outcome.case.shown[:80]} is {outcome.verdict.name.lower()}", "please report it")
    if not wrong:
        yield Check("selftest", "fine", f"{len(outcomes)} cases are judged as they should be")

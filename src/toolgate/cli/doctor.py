"""`toolgate doctor`: checks the installation. Every line names what was checked, and the remedy."""

import json
import os
import platform
import shlex
import stat
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import asdict
from functools import partial
from importlib.metadata import version

import click

from toolgate import hosts
from toolgate.machine.environment import find_folders
from toolgate.model.errors import SettingsError

from .live_proofs import check_live_hosts
from .person import refuse_beneath_agent
from .surroundings import AS_JSON, Surroundings, read_surroundings
from .tier import (
    TRUSTED_SCOPES,
    Check,
    State,
    check_tiers,
    describe_supervised_state,
    find_registrations,
    list_relevant_hosts,
    print_check,
)


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.option(
    "--live",
    is_flag=True,
    help="Prove in each host's real client that a denied call does not run. Needs no account and no network.",
)
@click.option("--client", default="", metavar="PATH", help="The client for --live.  [default: $CLAUDE_BIN, or on the PATH]")
@click.option("--selftest", is_flag=True, help="Judge every shipped case.")
@click.option("--repair", is_flag=True, help="Repair the wiring, as `toolgate install` would write it.")
@AS_JSON
def doctor(live: bool, client: str, selftest: bool, repair: bool, as_json: bool) -> int:
    """Check the installation and report what to fix. Exit 0 when nothing is wrong.

    \b
    Examples:
      toolgate doctor
      toolgate doctor --live
      toolgate doctor --selftest
      toolgate doctor --repair
    """
    if client and not live:
        raise click.UsageError("--client goes with --live")
    surroundings = read_surroundings()
    looks: list[Callable[[Surroundings], Iterator[Check]]] = [
        _check_versions,
        _check_packages,
        _check_client,
        _check_daemon,
        check_tiers,
        _check_wirings,
        _check_policy,
    ]
    looks += [_check_store, _check_audit]
    if repair:
        refuse_beneath_agent(surroundings, "repair its own gate")
        looks.insert(0, partial(_repair_wiring, quiet=as_json))
    if live:
        looks.append(partial(check_live_hosts, client=client))
    if selftest:
        looks.append(_run_selftest)
    checks = []
    for check in (check for look in looks for check in look(surroundings)):
        checks.append(check)
        if not as_json:
            print_check(check)
    if as_json:
        click.echo(json.dumps([asdict(check) for check in checks], indent=2))
    else:
        click.echo()
        for line in _iter_next_steps(checks, proved=live):
            click.echo(line)
    return 1 if any(check.state == "wrong" for check in checks) else 0


def _iter_next_steps(checks: list[Check], *, proved: bool) -> Iterator[str]:
    """Yields what to do next: the remedies of what is wrong, or the next thing worth doing."""
    wrong = [check for check in checks if check.state == "wrong"]
    remedies = list(dict.fromkeys(check.remedy or f"{check.about}: {check.found}" for check in wrong))
    if wrong:
        yield f"{len(wrong)} of {len(checks)} checks failed. Do this, then run `toolgate doctor` again:"
        yield from (f"  {number}. {remedy}" for number, remedy in enumerate(remedies, 1))
    elif not proved:
        yield "Nothing is wrong. Next: `toolgate doctor --live` proves in your client that a denied call does not run."
    else:
        yield "Nothing is wrong. Next: work as always; `toolgate log --follow` shows each call, `toolgate why last` explains one."


def _check_versions(_here: Surroundings) -> Iterator[Check]:
    yield Check("toolgate", "fine", f"{version('toolgate')} on Python {platform.python_version()}, {sys.executable}")


def _check_packages(_here: Surroundings) -> Iterator[Check]:
    from toolgate.machine import integrity

    if changed := integrity.changed_packages():
        problem = f"changed since the gate was registered: {', '.join(changed)}"
        yield Check(
            "packages", "wrong", problem, "where you did that, toolgate install HOST records them; else install toolgate anew"
        )


# ---- the cost of a call


CLIENT_COSTS: dict[str, tuple[State, str, str]] = {
    "native": ("fine", "the native client: a call costs little more than starting any program", ""),
    "twin": (
        "note",
        "the client in Python: a call costs a little more than starting a bare interpreter, some ten times the native one",
        "for that one, have a C compiler and install toolgate again",
    ),
    "none": ("note", "no client and no daemon on this platform: each call starts an interpreter and loads everything", ""),
}


def _check_client(surroundings: Surroundings) -> Iterator[Check]:
    from toolgate.install import find_client_kind, own_command

    state, found, remedy = CLIENT_COSTS[find_client_kind()]
    yield Check("client", state, f"{found} ({own_command()[0]})", remedy)
    for name in hosts.HOSTS:
        for scope, commands in find_registrations(name, surroundings).items():
            if scope in TRUSTED_SCOPES and own_command() not in commands:
                problem = f"the {scope} settings name another command, {' '.join(commands[0])}"
                yield Check(f"client of {name}", "note", problem, f"toolgate install {name} puts this one there")


def _check_daemon(surroundings: Surroundings) -> Iterator[Check]:
    """Checks the daemon, which is optional and so never wrong: calls that it does not answer are judged without it."""
    if sys.platform == "win32":
        return
    from toolgate.machine import build
    from toolgate.transport.running_daemons import find_daemons, is_responsive

    for each in find_daemons(find_folders(surroundings.environ, surroundings.home).runtime):
        if each.build != build.installed_build():
            yield Check("daemon", "note", f"process {each.pid} is of another build, and goes when nobody calls it")
        elif is_responsive(each):
            yield Check("daemon", "fine", f"process {each.pid} answers")
        else:
            yield Check(
                "daemon", "note", f"process {each.pid} does not answer: each call waits a second", "toolgate daemon restart"
            )


# ---- wiring between the agent and the machine


def _check_wirings(surroundings: Surroundings) -> Iterator[Check]:
    from toolgate.install.wiring import check_wiring

    for name in list_relevant_hosts(surroundings):
        problems = check_wiring(name, surroundings.home, surroundings.project, surroundings.environ)
        for problem in problems:
            yield Check(problem.where, "wrong", problem.what, problem.remedy)
        if not problems:
            yield Check(f"wiring of {name}", "fine", "every event, with a deadline")
        yield _check_limits(name)
    yield from _check_deployments(surroundings)


def _check_limits(name: str) -> Check:
    """Reports which of the gate's answers this host does not enforce."""
    from toolgate.hosts.capabilities import load_capabilities

    has = load_capabilities(name)
    limits = [] if has.proof == "client" else ["not proven here: known from documents alone"]
    if has.open_faults:
        limits.append(f"it runs a call unjudged if the gate fails in one of these ways: {', '.join(has.open_faults)}")
    if has.no_question:
        limits.append("a question becomes a denial with a request")
    if has.unguarded_kinds:
        limits.append(f"not every call reaches the gate: {', '.join(has.unguarded_kinds)}")
    if not limits:
        return Check(f"limits of {name}", "fine", "none that were measured")
    return Check(f"limits of {name}", "note", "; ".join(limits), f"docs/hosts/{name}.md says more")


def _check_deployments(surroundings: Surroundings) -> Iterator[Check]:
    from toolgate.designs.safety_hook.deployment import check_deployment, resolve_target
    from toolgate.launching.watch import list_deployments

    for folder in list_deployments(surroundings.home, surroundings.environ):
        if not os.path.isdir(folder):
            yield Check(
                f"deployment in {folder}", "note", "the folder is gone", f"toolgate deploy --forget {shlex.quote(folder)}"
            )
            continue
        problems = check_deployment(resolve_target(folder, surroundings.environ))
        for problem in problems:
            yield Check(problem.where, "wrong", problem.what, problem.remedy)
        if not problems:
            yield Check(f"deployment in {folder}", "fine", "the safety hook and its settings are what was deployed")


def _repair_wiring(surroundings: Surroundings, *, quiet: bool) -> Iterator[Check]:
    """Registers the gate again wherever it was, and for all of the user's sessions where it was not registered."""
    from toolgate.designs.safety_hook.deployment import ensure_deployed
    from toolgate.install import EDITED_SCOPES, apply_plan, plan_install
    from toolgate.launching.watch import list_deployments

    from .plan_view import print_diff

    for name in list_relevant_hosts(surroundings):
        about, registered = f"repair of {name}", find_registrations(name, surroundings)
        for scope in [scope for scope in EDITED_SCOPES if scope in (registered or ("user",))]:
            try:
                if scope == "project" and os.path.realpath(surroundings.project) in list_deployments(
                    surroundings.home, surroundings.environ
                ):
                    done = ensure_deployed(surroundings.project, environ=surroundings.environ)
                    yield Check(about, "fine", f"deployed anew: {', '.join(done.changed) or 'nothing was needed'}")
                    continue
                plan = plan_install(name, scope, surroundings.home, surroundings.project, surroundings.environ)
                kept = apply_plan(plan, f"{find_folders(surroundings.environ, surroundings.home).state}/backups")
            except SettingsError as problem:
                yield Check(about, "wrong", str(problem))
                continue
            if not quiet:
                print_diff(plan.diff)
            if plan.changes:
                before = f"; what was there is kept: {', '.join(kept)}" if kept else ""
                yield Check(about, "fine", f"registered in the {scope} settings{before}")
            else:
                yield Check(about, "fine", f"the {scope} settings needed nothing")


# ---- policy and records


def _check_policy(surroundings: Surroundings) -> Iterator[Check]:
    from toolgate.policy import compile_files

    result = compile_files(surroundings.environ, surroundings.home, surroundings.project)
    wrong = (*result.problems, *result.ignored)
    for problem in wrong:
        yield Check("policy", "wrong", str(problem))
    policy = result.merged.policy
    for rule, floor in sorted(policy.floors.items()):
        yield Check("policy", "note", f"{floor.file} lowers the floor of {rule} to {floor.sure.name.lower()}: {floor.reason}")
    if policy.agent_may_confirm:
        found = "`agent_may_confirm` is true: the agent's own word that its user agreed lets a stopped call run"
        yield Check("policy", "note", found, "let the user confirm: take it out")
    if policy.answer_prompts != "off":
        for name in (each for each in list_relevant_hosts(surroundings) if hosts.prompts(each) is None):
            found = f"`answer_prompts` has no effect with {name}: its own rules cannot be read, and its `allow` goes past them"
            yield Check("policy", "note", found, "docs/prompts.md says more")
    if not wrong:
        yield Check("policy", "fine", f"profile {policy.profile}, digest {policy.digest or 'of the built-in policy'}")


def _check_store(surroundings: Surroundings) -> Iterator[Check]:
    """Checks the store without creating it: a file is created with its first record."""
    from toolgate.machine.filesystems import filesystem_at, is_on_network
    from toolgate.model.errors import StoreError
    from toolgate.sessions.approval_answers import iter_valid_approvals

    from .surroundings import find_store_url, open_user_store

    if description := describe_supervised_state(surroundings):
        yield Check("store", "fine", description)
        return
    state = find_folders(surroundings.environ, surroundings.home).state
    url = find_store_url(surroundings)
    try:
        good = len(list(iter_valid_approvals(open_user_store(surroundings), time.time())))
    except StoreError as problem:
        yield Check("store", "wrong", f"{problem.store}: {problem.problem}", problem.remedy)
        return
    whose = "TOOLGATE_STORE_URL" if url == surroundings.environ.get("TOOLGATE_STORE_URL") else "the policy"
    where = f"{url.partition(':')[0]} of {whose}" if url else f"{state}/state.db"
    if not url and is_on_network(state):
        found = f"{where} lies on {filesystem_at(state)}: it keeps a rollback journal there, and is slower"
        yield Check("store", "note", found, "set TOOLGATE_STORE_URL to a file on this machine, or to a PostgreSQL server")
    else:
        yield Check("store", "fine", f"{where}; approvals in force: {good}")


def _check_audit(surroundings: Surroundings) -> Iterator[Check]:
    if description := describe_supervised_state(surroundings):
        yield Check("audit", "fine", description)
        return
    folder = f"{find_folders(surroundings.environ, surroundings.home).state}/audit"
    obstacle, remedy = _find_write_obstacle(folder)
    if obstacle:
        yield Check("audit", "wrong", f"{obstacle}: decisions go on, unrecorded", remedy)
        return
    days = sorted(os.listdir(folder)) if os.path.isdir(folder) else []
    found = f"the last day is {days[-1]}, of {len(days)}" if days else "nothing is recorded yet"
    yield Check("audit", "fine", f"{folder}: {found}")


def _find_write_obstacle(folder: str) -> tuple[str, str]:
    """Returns what keeps records from being written, and the remedy. Both empty: nothing does."""
    nearest = folder
    while not os.path.lexists(nearest):
        nearest = os.path.dirname(nearest)
    if not os.path.isdir(nearest):
        return f"{nearest} is no folder", "take it away"
    if not os.access(nearest, os.W_OK | os.X_OK):
        return f"{nearest} cannot be written", f"chmod u+wx {nearest}"
    if nearest == folder and os.stat(folder).st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        return f"others may write to {folder}", f"chmod go-w {folder}"
    return "", ""


def _run_selftest(_here: Surroundings) -> Iterator[Check]:
    from toolgate import cases

    from .test import build_case_policy

    loaded = [case for path in cases.iter_shipped_files() for case in cases.load_cases(path)]
    outcomes = [cases.run_case(case, build_case_policy(case)) for case in loaded if not case.is_skipped]
    wrong = [outcome for outcome in outcomes if not outcome.has_passed]
    for outcome in wrong[:10]:
        yield Check(
            outcome.case.id, "wrong", f"{outcome.case.display_text} is {outcome.verdict.name.lower()}", "please report it"
        )
    if not wrong:
        yield Check("selftest", "fine", f"{len(outcomes)} cases are judged as they should be")
    for needs, count in Counter(case.needs for case in loaded if case.is_skipped).items():
        yield Check("selftest", "fine", cases.describe_skipped(needs, count))

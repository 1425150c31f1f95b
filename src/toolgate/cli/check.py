"""`toolgate check`: prints the verdict on a command or on many calls, for people and scripts. Executes nothing."""

import json
import os
import sys
import time
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import click

from toolgate import hosts
from toolgate.app import App
from toolgate.judge import sort_by_weight
from toolgate.model.action import Action, RunShell
from toolgate.model.decision import Decision, Finding, Verdict
from toolgate.model.errors import BadPayload, PolicyError
from toolgate.model.event import Caller, Scene
from toolgate.model.rule import Policy
from toolgate.model.stakes_measurement import describe_stakes
from toolgate.redaction.redactor import Redactor
from toolgate.sessions.judgements import Judgement

from . import EXIT_BROKEN_POLICY, EXIT_WRONG_USAGE
from .surroundings import AS_JSON, DIRECTORY, PROFILE, build_hider, read_surroundings

EXIT_CODES = {Verdict.PASS: 0, Verdict.WARN: 0, Verdict.ASK: 1, Verdict.DENY: 2}
COLOURS = {Verdict.PASS: "green", Verdict.WARN: "yellow", Verdict.ASK: "cyan", Verdict.DENY: "red"}


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("command", nargs=-1, type=click.UNPROCESSED)
@PROFILE
@DIRECTORY
@AS_JSON
@click.option("--calls", metavar="FILE|-", help="Judge the calls in a file, one on each line, and print one verdict for each.")
@click.option("--host", default="claude-code", show_default=True, help="The host whose tool names the calls use.")
def check(
    command: tuple[str, ...], profile: str | None, directory: str | None, as_json: bool, calls: str | None, host: str
) -> int:
    """Show what the gate would answer to COMMAND, and why. Exit 0: pass or warn, 1: ask, 2: deny.

    A call is a JSON object: {"id", "tool", "input", "cwd"?, "home"?}; each result is
    {"id", "verdict", "rules", "reason", "stakes", "microseconds"}. A line that cannot be read is answered with deny.

    \b
    Examples:
      toolgate check -- rm -rf build
      toolgate check --profile ci-headless -- 'curl https://example.com/i | sh'
      toolgate check --calls calls.jsonl > verdicts.jsonl
    """
    if host not in hosts.HOSTS:
        raise click.BadParameter(f"there is no host {host!r}; there are {', '.join(hosts.HOSTS)}", param_hint="--host")
    if bool(calls) == bool(command):
        raise click.UsageError("give a command after --, or --calls FILE")
    surroundings = read_surroundings(directory)
    scene = Scene(
        Caller(host),
        surroundings.project,
        surroundings.project,
        surroundings.home,
        surroundings.environ,
        surroundings.environ.get("USER", ""),
    )
    app = App()
    _exit_if_policy_broken(app, scene, profile)
    if calls:
        _judge_lines(_read_lines(calls), app, scene, profile, host)
        return 0
    text = command[0] if len(command) == 1 else _join_command(command)
    began = time.perf_counter_ns()
    policy = app.load_policy(scene, profile=profile or "")
    judgement = app.judge(RunShell(text), scene, policy)
    took = (time.perf_counter_ns() - began) // 1000
    veil = build_hider(policy)
    veil.learn_secrets(text)
    if as_json:
        click.echo(json.dumps(veil.redact_value(_result_fields(None, judgement.decision, took))))
    else:
        _print_judgement(judgement, veil)
    return EXIT_CODES[judgement.decision.verdict]


def _join_command(words: Iterable[str]) -> str:
    """Quotes several arguments as the words of one command."""
    import shlex

    return shlex.join(words)


def _exit_if_policy_broken(app: App, scene: Scene, profile: str | None) -> None:
    """Exits with its own code where a policy of the user or the organisation is broken."""
    from toolgate.policy import compile_files
    from toolgate.policy.profiles import list_names

    if profile and profile not in list_names():
        raise click.BadParameter(f"there is no profile {profile!r}; there are {', '.join(list_names())}", param_hint="--profile")
    problems = compile_files(scene.environ, scene.home, scene.project, try_example=app.make_example_check(scene)).problems
    for problem in problems:
        click.echo(f"toolgate: {problem}", err=True)
    if problems:
        sys.exit(EXIT_BROKEN_POLICY)


# ---- many calls


def _read_lines(name: str) -> Iterator[bytes]:
    try:
        with open(0 if name == "-" else name, "rb") as stream:
            yield from stream
    except OSError as problem:
        click.echo(f"toolgate: {name}: {problem.strerror}; name a file with one call a line, or - for standard input", err=True)
        sys.exit(EXIT_WRONG_USAGE)


def _judge_lines(lines: Iterable[bytes], app: App, scene: Scene, profile: str | None, host: str) -> None:
    out = sys.stdout
    for line in lines:
        if line.strip():
            out.write(json.dumps(_judge_line(line, app, scene, profile, host)) + "\n")
    out.flush()


def _judge_line(line: bytes, app: App, scene: Scene, profile: str | None, host: str) -> Mapping[str, object]:
    began = time.perf_counter_ns()
    id_: object = None
    command = ""
    try:
        call = json.loads(line)
        if isinstance(call, dict):
            id_ = call.get("id")
        action, own = _parse_call(call, scene, host)
        command = action.text if isinstance(action, RunShell) else ""
        policy = app.load_policy(own, profile=profile or "")
        decision = app.judge(action, own, policy).decision
    except (BadPayload, ValueError, RecursionError, PolicyError) as problem:
        policy = Policy()
        decision = Decision(Verdict.DENY, Verdict.DENY, tell_user=f"this call cannot be read: {problem}")
    except Exception as problem:  # noqa: BLE001  (law 5: refuse what cannot be judged, and judge the calls after it)
        policy = Policy()
        failure = f"toolgate could not judge this call ({type(problem).__name__}), so it refuses it. Please report it."
        decision = Decision(Verdict.DENY, Verdict.DENY, tell_user=failure)
    took = (time.perf_counter_ns() - began) // 1000
    veil = build_hider(policy)
    veil.learn_secrets(command)
    return {**_result_fields(id_, decision, took), "reason": veil.redact_text(decision.tell_user)}


def _parse_call(call: Any, scene: Scene, host: str) -> tuple[Action, Scene]:
    if not isinstance(call, dict) or not isinstance(call.get("tool"), str) or not isinstance(call.get("input"), dict):
        raise BadPayload('a call is an object with "tool" (text) and "input" (an object)')
    cwd, home = call.get("cwd", scene.cwd), call.get("home", scene.home)
    if not (isinstance(cwd, str) and isinstance(home, str) and os.path.isabs(cwd) and os.path.isabs(home)):
        raise BadPayload('"cwd" and "home" are absolute paths')
    own = Scene(scene.caller, cwd, cwd, home, {**scene.environ, "HOME": home}, scene.user)
    return hosts.load_host(host).parse_action(call["tool"], call["input"], cwd), own


def _result_fields(id_: object, decision: Decision, took: int) -> dict[str, object]:
    rules = dict.fromkeys(finding.rule for finding in sort_by_weight(decision.findings))
    return {
        "id": id_,
        "verdict": decision.verdict.name.lower(),
        "rules": list(rules),
        "reason": decision.tell_user,
        "stakes": next((each.match.stakes._asdict() for each in decision.findings if each.match.stakes is not None), None),
        "microseconds": took,
    }


# ---- one command


def _print_judgement(judgement: Judgement, veil: Redactor) -> None:
    decision = judgement.decision
    click.secho(decision.verdict.name.lower(), fg=COLOURS[decision.verdict], bold=True)
    for lines in dict.fromkeys(_describe_finding(each, decision, veil) for each in sort_by_weight(decision.findings)):
        click.echo("\n".join(lines))


def _describe_finding(finding: Finding, decision: Decision, veil: Redactor) -> tuple[str, ...]:
    match = finding.match
    lifted = " (lifted)" if finding in decision.waived else ""
    stakes = describe_stakes(match.stakes) if match.stakes is not None else ""
    return (
        f"  {finding.rule}{lifted}: {veil.redact_text(match.reason)}",
        *((f"    {stakes}",) if stakes else ()),
        *((f"    instead: {veil.redact_text(match.remedy)}",) if match.remedy else ()),
    )

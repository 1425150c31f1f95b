"""`toolgate explain`: shows how a command was understood, step by step, and the findings of each rule."""

import json
import sys
import time
from collections.abc import Iterable, Iterator
from typing import Any

import click

from toolgate import rules
from toolgate.app import App
from toolgate.judge import sort_by_weight, trigger_name
from toolgate.model.action import RunShell
from toolgate.model.effect import Connect, Effect, Environment, Escalate, Interpret, Opaque, Operation, Run, kind_of
from toolgate.model.event import Caller, Scene
from toolgate.model.place import Place
from toolgate.model.stakes_measurement import describe_stakes
from toolgate.redaction.redactor import Redactor
from toolgate.sessions.judgements import Judgement

from .check import COLOURS
from .surroundings import AS_JSON, DIRECTORY, PROFILE, build_hider, read_surroundings


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("command", nargs=-1, type=click.UNPROCESSED)
@PROFILE
@DIRECTORY
@AS_JSON
@click.option("--all", "every", is_flag=True, help="Also list the rules that were checked and passed.")
@click.option("--jsonl", is_flag=True, help='Read one {"id","text"} a line from standard input, and print one result a line.')
def explain(command: tuple[str, ...], profile: str | None, directory: str | None, as_json: bool, every: bool, jsonl: bool) -> int:
    """Show the verdict on COMMAND with the rules that decide it, then its commands, their effects, and how many rules passed.

    Secrets are redacted, except with --jsonl.

    \b
    Examples:
      toolgate explain -- 'cd /tmp && rm -rf "$X"'
      toolgate explain --json -- git push -f
      printf '{"id":1,"text":"ls"}\\n' | toolgate explain --jsonl
    """
    if jsonl == bool(command):
        raise click.UsageError("give a command after --, or --jsonl")
    surroundings = read_surroundings(directory)
    scene = Scene(
        Caller("toolgate"),
        surroundings.project,
        surroundings.project,
        surroundings.home,
        surroundings.environ,
        surroundings.environ.get("USER", ""),
    )
    app = App()
    policy = app.load_policy(scene, profile=profile or "")
    if jsonl:
        for row in _explain_lines(sys.stdin.buffer, app, scene):
            click.echo(json.dumps(row))
        return 0
    text = command[0] if len(command) == 1 else " ".join(command)
    judgement = app.judge(RunShell(text), scene, policy)
    veil = build_hider(policy)
    veil.learn_secrets(text)
    prompt = _prompt(text, scene, judgement)
    if as_json:
        click.echo(
            json.dumps(veil.redact_value({**describe_reading(judgement), **_verdict_fields(judgement), **prompt}), indent=2)
        )
    else:
        _print_judgement(judgement, veil, every=every)
        for key, why in prompt.items():
            click.echo(
                f"{'answered in the place of its user' if key == 'allowed' else 'left to the host'}: {veil.redact_text(why)}"
            )
    return 0


def _prompt(text: str, scene: Scene, judgement: Judgement) -> dict[str, str]:
    """Whether Claude Code's own question would be answered, and why; nothing where the policy answers none."""
    if judgement.policy.answer_prompts == "off":
        return {}
    from toolgate.sessions.prompting import answer_on_request

    answered = answer_on_request(RunShell(text), scene, judgement, time.time())
    return {"allowed": answered.reason} if answered.reason else {"asked": answered.doubt}


def _explain_lines(lines: Iterable[bytes], app: App, scene: Scene) -> Iterator[dict[str, object]]:
    from toolgate.model.rule import Policy

    for line in lines:
        if not line.strip():
            continue
        id_: object = None
        try:
            asked: Any = json.loads(line)
            id_, text = asked.get("id"), asked["text"]
            judgement = app.judge(RunShell(str(text)), scene, Policy())
            yield {"id": id_, **describe_reading(judgement)}
        except (ValueError, KeyError, AttributeError, RecursionError) as problem:
            yield {"id": id_, "opaque": True, "why": f"no text: {problem}", "commands": [], "effects": []}
        except Exception as problem:  # noqa: BLE001  (law 5: report unreadable text as unknown, and read on)
            why = f"toolgate could not read this text ({type(problem).__name__}). Please report it."
            yield {"id": id_, "opaque": True, "why": why, "commands": [], "effects": []}


def describe_reading(judgement: Judgement) -> dict[str, object]:
    """Returns what was understood, as data."""
    effects = judgement.effects.all
    opaque = [effect.why for effect in effects if isinstance(effect, Opaque)]
    unread = [
        f"the code that {effect.runner} runs is not known"
        for effect in effects
        if isinstance(effect, Interpret) and not effect.followed
    ]
    return {
        "opaque": bool(opaque or unread),
        "why": "; ".join(dict.fromkeys([*opaque, *unread])),
        "commands": [_command_fields(effect) for effect in effects if isinstance(effect, Run)],
        "effects": [_effect_fields(effect) for effect in effects if not isinstance(effect, Run)],
    }


def _command_fields(run: Run) -> dict[str, object]:
    return {
        "name": run.argv[0].text if run.argv else None,
        "argv": [word.text for word in run.argv[1:]],
        "span": list(run.origin.span),
        "via": list(map(str, run.origin.via)),
    }


def _effect_fields(effect: Effect) -> dict[str, object]:
    row: dict[str, object] = {"kind": kind_of(effect)}
    place = getattr(effect, "place", None)
    if isinstance(place, Place):
        row["path"] = place.path or place.display_text
        row["zones"] = sorted(place.inside)
    if isinstance(effect, Operation):
        row["operation"] = effect.name
    row["via"] = list(map(str, effect.origin.via))
    row["sure"] = effect.origin.sure
    return row


def _verdict_fields(judgement: Judgement) -> dict[str, object]:
    decision = judgement.decision
    return {
        "asked": sorted(collect_asked_rules(judgement)),
        "findings": [
            {
                "rule": each.rule,
                "verdict": each.verdict.name.lower(),
                "sure": each.match.sure,
                "reason": each.match.reason,
                "instead": each.match.remedy,
                "stakes": None if each.match.stakes is None else each.match.stakes._asdict(),
            }
            for each in sort_by_weight(decision.findings)
        ],
        "verdict": decision.verdict.name.lower(),
    }


def collect_asked_rules(judgement: Judgement) -> set[str]:
    """Returns the built-in rules whose trigger occurs, and the policy's rules that match."""
    built_in = {rule for effect in judgement.effects.all for rule in rules.RULES_BY_TRIGGER.get(trigger_name(effect), ())}
    return built_in | {finding.rule for finding in judgement.decision.findings}


def _print_judgement(judgement: Judgement, veil: Redactor, *, every: bool) -> None:
    decision = judgement.decision
    click.secho(decision.verdict.name.lower(), fg=COLOURS[decision.verdict], bold=True)
    shown_reasons: set[tuple[str, str]] = set()
    for finding in sort_by_weight(decision.findings):
        if (finding.rule, finding.match.reason) in shown_reasons:
            continue
        shown_reasons.add((finding.rule, finding.match.reason))
        click.secho(f"  {finding.verdict.name.lower():5}", fg=COLOURS[finding.verdict], nl=False)
        click.echo(f" {finding.rule}: {veil.redact_text(finding.match.reason)}")
        if finding.match.stakes is not None and (told_stakes := describe_stakes(finding.match.stakes)):
            click.echo(f"        {told_stakes}")
        if finding.match.remedy:
            click.echo(f"        instead: {veil.redact_text(finding.match.remedy)}")
    click.echo()
    _print_reading(judgement, veil)
    passed = sorted(collect_asked_rules(judgement) - {rule for rule, _ in shown_reasons})
    click.echo()
    if every:
        for rule in passed:
            click.echo(f"  pass  {rule}")
    elif passed:
        others = "other rule was" if len(passed) == 1 else "other rules were"
        click.echo(f"{len(passed)} {others} asked and passed (--all lists them)")


def _print_reading(judgement: Judgement, veil: Redactor) -> None:
    number = 0
    for effect in judgement.effects.all:
        if isinstance(effect, Run):
            number += 1
            via = f"  (via {' > '.join(map(str, effect.origin.via))})" if effect.origin.via else ""
            sure = "" if effect.origin.sure else "  (maybe)"
            click.secho(
                veil.redact_text(f"{number}. {' '.join(word.display_text for word in effect.argv)}{via}{sure}"), bold=True
            )
        else:
            click.echo(veil.redact_text(f"     {describe_effect(effect)}"))


def describe_effect(effect: Effect) -> str:
    """Returns a line on one effect, for people."""
    match effect:
        case Connect(target=target, sends=sends):
            return f"connects to {target.display_text}" + (" and sends something" if sends is not None and sends.parts else "")
        case Escalate(how=how, user=user):
            return f"becomes {user} by {how}"
        case Environment(name=name, value=value):
            return f"sets {name}={value.display_text}"
        case Interpret(runner=runner):
            return f"runs code that is not known ({runner})"
        case Operation(name=name, target=target):
            return f"{name} {target.display_text if target else ''}".rstrip()
        case Opaque(why=why):
            return f"cannot be read: {why}"
        case _:
            place = getattr(effect, "place", None)
            if not isinstance(place, Place):
                return kind_of(effect)
            zones = ", ".join(sorted(place.inside) or [f"maybe {zone}" for zone in sorted(place.maybe_inside)][:3])
            recursive = " and all beneath it" if getattr(effect, "recursive", False) else ""
            return (
                f"{_EFFECT_VERBS.get(kind_of(effect), kind_of(effect))} {place.path or place.display_text}{recursive}  [{zones}]"
            )


_EFFECT_VERBS = {
    "Read": "reads",
    "Write": "writes",
    "Delete": "deletes",
    "Move": "moves away",
    "Link": "links",
    "Permission": "changes permissions of",
    "Mount": "puts something else in the place of",
}

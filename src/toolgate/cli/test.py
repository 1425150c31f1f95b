"""`toolgate test`: judges case files in the worlds that they describe."""

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import click

from toolgate import cases
from toolgate.cases import Case, CaseError, Outcome
from toolgate.model.rule import Policy

from .surroundings import AS_JSON

NO_STATE_FOLDER = "/dev/null"
"""Nothing can be created inside it: cases are judged without a state folder."""


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("files", nargs=-1, type=click.Path(exists=True, path_type=Path))
@AS_JSON
def test(files: tuple[Path, ...], as_json: bool) -> int:
    """Judge the cases in FILES (TOML beside rules and programs, or JSONL); without FILES, every case that ships.

    Exit 0: every case gets its verdict, except known gaps. Nothing on this machine is read or changed.

    \b
    Examples:
      toolgate test
      toolgate test my.cases.toml --json
    """
    loaded = [case for path in files or cases.iter_shipped_files() for case in _load_cases(path)]
    skipped = [case for case in loaded if case.is_skipped]
    outcomes = [_run_case(case) for case in loaded if not case.is_skipped]
    wrong = [outcome for outcome in outcomes if not outcome.has_passed]
    gaps = Counter(outcome.case.known_gap for outcome in outcomes if outcome.case.known_gap)
    if as_json:
        for outcome in outcomes:
            click.echo(json.dumps(_outcome_fields(outcome)))
        for case in skipped:
            click.echo(json.dumps({"id": case.id, "file": case.file, "skipped": case.needs}))
        return 1 if wrong else 0
    for outcome in wrong:
        _print_outcome(outcome)
    for needs, count in Counter(case.needs for case in skipped).items():
        click.echo(cases.describe_skipped(needs, count))
    click.secho(
        f"{len(outcomes) - len(wrong)} passed, {len(wrong)} failed, {sum(gaps.values())} known gaps among them",
        fg="red" if wrong else "green",
    )
    return 1 if wrong else 0


def _load_cases(path: Path) -> Iterator[Case]:
    if path.suffix == ".jsonl":
        yield from cases.load_acceptance_cases(path)
    elif path.suffix == ".toml":
        yield from cases.load_cases(path)
    else:
        raise CaseError(f"{path}: cases are .toml or .jsonl files")


def _run_case(case: Case) -> Outcome:
    return cases.run_case(case, build_case_policy(case))


def build_case_policy(case: Case) -> Policy:
    """Returns the policy of the profile that a case names, without this machine's own policy."""
    from toolgate.policy import load

    if case.config:
        return _build_configured_policy(case)
    if not case.profile or case.profile == "default":
        return Policy()
    return load({"TOOLGATE_HOME": NO_STATE_FOLDER}, case.home, case.project, profile=case.profile)


def _build_configured_policy(case: Case) -> Policy:
    """Returns the profile's policy with a case's settings: sections of policies.json as they are, other options translated."""
    from toolgate import rules
    from toolgate.designs import PROFILES, TEAM_POLICY_FILE, TEAM_PROFILE, load_module
    from toolgate.policy.cache import Cache
    from toolgate.policy.cache_storage import FolderStorage
    from toolgate.policy.compilation import compile_policy
    from toolgate.policy.discovery import FoundFile

    lockouts: tuple[str, ...] = load_module(PROFILES[TEAM_PROFILE], "policy_file").LOCKOUT_RULES
    sections = {name: value for name, value in case.config.items() if isinstance(value, dict)}
    user = [f"max_questions = {case.config['maxAskUserPerSession']}"] if "maxAskUserPerSession" in case.config else []
    user += [
        '[project."/"]',
        '[rules."secrets.environment-file"]',
        f'verdict = "{"deny" if case.config.get("scrubSecrets") else "pass"}"',
    ]
    if case.config.get("reviewerLockout") is False:
        user += [line for rule in lockouts for line in (f'[rules."{rule}"]', 'verdict = "pass"')]
    for n, program in enumerate(case.config.get("blockedCommands", ())):
        on = json.dumps(program)
        user += ["[[rule]]", f'id = "blocked.{n}"', f"on = {{ program = {on} }}", 'verdict = "deny"', f"reason = {on}"]
    found = [FoundFile("user", "policy.toml", "\n".join(user).encode())]
    if sections:
        found.append(FoundFile("project", TEAM_POLICY_FILE, json.dumps(sections).encode()))
    return compile_policy(
        rules.TABLE,
        tuple(found),
        Cache(FolderStorage(NO_STATE_FOLDER)),
        lambda _folder: True,
        instead_of_profile=case.profile or "default",
    ).merged.policy


def _outcome_fields(outcome: Outcome) -> dict[str, object]:
    case = outcome.case
    return {
        "id": case.id,
        "file": case.file,
        "passed": outcome.has_passed,
        "expect": sorted(verdict.name.lower() for verdict in case.expect),
        "verdict": outcome.verdict.name.lower(),
        "rules": list(outcome.rules),
        "known_gap": case.known_gap or None,
    }


def _print_outcome(outcome: Outcome) -> None:
    case = outcome.case
    expected = "|".join(sorted(verdict.name.lower() for verdict in case.expect))
    click.echo(f"{case.file}: {case.id}: {case.display_text}")
    if case.known_gap and outcome.is_right:
        click.echo(f"  is no known gap any more ({case.known_gap}): take the mark off")
    else:
        rules = ", ".join(outcome.rules) or "no rule"
        click.echo(
            f"  expected {expected}{' by ' + case.rule if case.rule else ''}, got {outcome.verdict.name.lower()} ({rules})"
        )

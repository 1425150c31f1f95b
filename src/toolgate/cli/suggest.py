"""`toolgate policy suggest`: prints changes of the user's policy that past calls support, as a patch. It applies nothing."""

import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from difflib import unified_diff

import click

from toolgate import cases, hosts
from toolgate.cases import Case
from toolgate.history.evidence import Evidence, Labeller, read_answers
from toolgate.history.replay import PolicyLookup, Replayer
from toolgate.history.suggesting import Suggestion, propose_relaxations, propose_rules, propose_tightenings
from toolgate.machine.environment import find_folders
from toolgate.model.decision import Verdict
from toolgate.model.event import Scene
from toolgate.model.rule import Policy
from toolgate.policy import load

from .person import refuse_beneath_agent
from .surroundings import Surroundings, open_user_store, read_surroundings
from .transcripts import Veil, choose_files, is_wanted, place_draft, read_with_progress

EXAMPLES = 3
WIDEST = 120  # characters of an example
STOPS = frozenset((Verdict.ASK, Verdict.DENY))
PURPOSES = {"relax": "Relax", "tighten": "Tighten", "add": "Add a rule for"}


@click.command(
    epilog="\b\nExamples:\n  toolgate policy suggest --days 30\n  toolgate policy suggest > policy.patch\n"
    "  patch ~/.config/toolgate/policy.toml policy.patch"
)
@click.argument("paths", nargs=-1, type=click.Path(exists=True))
@click.option("--host", "only", metavar="HOST", type=click.Choice(list(hosts.HOSTS)), help="Only the sessions of this host.")
@click.option("--days", type=click.IntRange(1), default=None, help="Only calls of the last N days.")
@click.option(
    "--least", type=click.IntRange(2), default=3, show_default=True, help="How many answers or refusals a change needs."
)
def suggest(paths: tuple[str, ...], only: str | None, days: int | None, least: int) -> int:
    """Print a patch for your policy, based on the calls in PATHS; without PATHS, on the sessions that hosts have recorded.

    Relaxes a rule by the narrowest exemption that covers calls you approved and none that was refused, if every shipped case
    that must be stopped still is. Tightens a rule whose passed calls were refused more often than they ran. Adds a rule for
    calls that were always refused and that no rule matched. Applies nothing. Exits with 1 if there is nothing to suggest.
    """
    surroundings = read_surroundings()
    refuse_beneath_agent(surroundings, "read the transcripts of other sessions")
    since = (datetime.now(UTC) - timedelta(days=days)).isoformat() if days else ""
    replayer = Replayer(surroundings.environ, surroundings.home, _policy_in_force)
    labeller = Labeller(replayer, _policy_in_force, read_answers(open_user_store(surroundings), time.time()))
    evidence: list[Evidence] = []
    shapes: set[str] = set()
    for calls in read_with_progress(choose_files(paths, only, surroundings)):
        judged = replayer.judge_calls(call for call in calls if is_wanted(call, only, since))
        evidence += _relevant(labeller.label_calls(judged), shapes)
    file = f"{find_folders(surroundings.environ, surroundings.home).config}/policy.toml"
    proof = _Proof(surroundings, _read_policy(file), evidence, least)
    for candidates in _propose(evidence, least, surroundings, replayer):
        next((each for each in candidates if proof.accept(each)), None)
    proof.drop_what_frees_cases()
    _show(proof, replayer.comparison.calls, evidence, Veil(surroundings), file)
    return 0 if proof.accepted else 1


def _policy_in_force(scene: Scene) -> Policy:
    return load(scene.environ, scene.home, scene.project)


def _relevant(evidence: Iterable[Evidence], shapes: set[str]) -> Iterator[Evidence]:
    """Yields the calls worth judging; of calls that ran without a match, one per shape."""
    for each in evidence:
        shape = each.judged.shape
        if each.label != "ran" or each.judged.after.findings:
            yield each
        elif shape not in shapes:
            shapes.add(shape)
            yield each


def _read_policy(file: str) -> str:
    try:
        with open(file, encoding="utf-8") as opened:
            return opened.read()
    except FileNotFoundError:
        return ""
    except (OSError, ValueError) as problem:
        raise click.ClickException(f"{file} cannot be read: {problem}") from None


def _propose(evidence: list[Evidence], least: int, surroundings: Surroundings, replayer: Replayer) -> Iterator[list[Suggestion]]:
    """Yields lists of alternatives; the first alternative that is proven is accepted."""
    yield from propose_relaxations(evidence, least, surroundings.home, replayer.effects_of)
    yield from ([each] for each in propose_tightenings(evidence, least))
    yield from ([each] for each in propose_rules(evidence, least))


class _Proof:
    """Accepts the suggestions that take effect under the resulting policy and free no other call.

    `conflicts`: suggestions that the policy file already has a setting for.
    """

    def __init__(self, surroundings: Surroundings, text: str, evidence: list[Evidence], least: int) -> None:
        self._here, self._least = surroundings, least
        self._refused = [each for each in evidence if each.label == "refused"]
        self.before = self.text = text
        self.accepted: list[Suggestion] = []
        self.conflicts: set[str] = set()

    def accept(self, suggestion: Suggestion) -> bool:
        text = suggestion.setting.insert_into(self.text)
        if text is None:
            self.conflicts.add(suggestion.rule or suggestion.setting.lines[0])
            return False
        if not self._does_its_work(suggestion, text):
            return False
        self.text = text
        self.accepted.append(suggestion)
        return True

    def _does_its_work(self, suggestion: Suggestion, text: str) -> bool:
        with self._draft(text) as policy_of:
            if policy_of is None:
                return False
            replayer = Replayer(self._here.environ, self._here.home, policy_of)
            stopped = {
                judged.call.call
                for judged in replayer.judge_calls(each.judged.call for each in (*suggestion.supporting, *self._refused))
                if judged.after.verdict in STOPS
            }
        if any(each.stops and each.judged.call.call not in stopped for each in self._refused):
            return False
        is_to_stop = suggestion.purpose != "relax"
        changed = {
            each.answer or each.judged.call.call
            for each in suggestion.supporting
            if (each.judged.call.call in stopped) is is_to_stop
        }
        return len(changed) >= self._least

    @contextmanager
    def _draft(self, text: str) -> Iterator[PolicyLookup | None]:
        """Yields the policy of a user file with this text, or None if it is invalid or a setting has no effect."""
        with tempfile.TemporaryDirectory(prefix="toolgate-suggest-") as scratch:
            environ, result = place_draft(self._here, text.encode(), scratch)
            sound = not (result.problems or result.ignored)
            yield (lambda scene: load({**scene.environ, **environ}, scene.home, scene.project)) if sound else None

    def drop_what_frees_cases(self) -> None:
        """Drops each relaxation that would let a shipped case run that must be stopped."""
        freed = self._freed_cases(self.text, _stop_cases()) if any(each.purpose == "relax" for each in self.accepted) else []
        if not freed:
            return
        kept, self.text = self.accepted, self.before
        self.accepted = []
        for each in kept:
            text = each.setting.insert_into(self.text)
            if text is not None and not (each.purpose == "relax" and self._freed_cases(text, freed)):
                self.text = text
                self.accepted.append(each)

    def _freed_cases(self, text: str, stops: Iterable[Case]) -> list[Case]:
        """Returns the cases that the user's current file stops and this text does not."""
        with _judge_cases(text) as is_stopped_after, _judge_cases(self.before) as is_stopped_before:
            return [case for case in stops if not is_stopped_after(case) and is_stopped_before(case)]


def _stop_cases() -> Iterator[Case]:
    """Yields every shipped case that must be stopped under the default profile."""
    for path in cases.iter_shipped_files():
        for case in cases.load_cases(path):
            if case.expect <= STOPS and not (case.is_skipped or case.known_gap or case.profile or case.config):
                yield case


@contextmanager
def _judge_cases(text: str) -> Iterator[Callable[[Case], bool]]:
    """Yields a function that tells whether a case is stopped under a user file with this text."""
    with tempfile.TemporaryDirectory(prefix="toolgate-suggest-") as scratch:
        with open(f"{scratch}/policy.toml", "w", encoding="utf-8") as file:
            file.write(text)
        policies: dict[tuple[str, str], Policy] = {}

        def is_stopped(case: Case) -> bool:
            where = case.home, case.project
            if where not in policies:
                policies[where] = load({"TOOLGATE_HOME": scratch}, *where)
            return cases.run_case(case, policies[where]).verdict in STOPS

        yield is_stopped


# ---- what is shown


def _show(proof: _Proof, calls: int, evidence: list[Evidence], veil: Veil, file: str) -> None:
    """Prints the evidence as text that `patch` skips, each line marked with #, then the patch."""
    labels = {label: sum(each.label == label for each in evidence) for label in ("approved", "refused")}
    click.echo(f"# {calls:,} calls judged, {labels['approved']:,} approved by you, {labels['refused']:,} refused.")
    for each in proof.accepted:
        counted = "approvals" if each.purpose == "relax" else "refusals"
        about = each.rule or each.supporting[0].judged.shape
        click.echo(f"#\n# {PURPOSES[each.purpose]} {veil.text(about)}: {each.weight} {counted}.")
        for judged in [one.judged for one in each.supporting][:EXAMPLES]:
            text = veil.example(judged)
            click.echo(f"#     {text if len(text) <= WIDEST else text[: WIDEST - 3] + '...'}")
    for about in sorted(proof.conflicts):
        click.echo(f"# Your policy has a setting about this already; nothing is suggested: {veil.text(about)}")
    if not proof.accepted:
        click.echo("# Nothing to suggest.")
        return
    if any(each.purpose == "relax" for each in proof.accepted):
        click.echo("#\n# Every shipped case that must be stopped still is. No call that was refused would run.")
    click.echo("# Nothing is applied. Judge all past calls with the patch: toolgate replay --policy FILE")
    lines = unified_diff(proof.before.splitlines(), proof.text.splitlines(), file, file, lineterm="")
    click.echo("\n".join(lines))

"""Judges past calls again, under one policy or two, and groups the differences.

A call is judged as it was made, on the machine as it is now: files may have changed since, and nothing can be read of a deleted
folder.
"""

import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Literal, NamedTuple, get_args

from toolgate import hosts
from toolgate.app import App
from toolgate.judge import sort_by_weight
from toolgate.machine.build import code_stamp
from toolgate.machine.filesystems import is_beneath, list_network_mounts
from toolgate.machine.local_world import LocalWorld
from toolgate.model.action import Action, RunShell
from toolgate.model.decision import Decision, Verdict
from toolgate.model.effect import Effects, Run
from toolgate.model.errors import BadPayload
from toolgate.model.event import Caller, Scene
from toolgate.model.rule import Policy

from .calls import PastCall, UnreadableLine
from .saved_answers import Answer, SavedAnswers

AnswerChange = Literal["newly stopped", "newly free", "other reason", "stopped"]
"""`stopped`: what one policy alone would stop."""
ANSWER_CHANGES: tuple[AnswerChange, ...] = get_args(AnswerChange)
MAX_EXAMPLES = 3
_MAX_PROGRAMS = 3  # of a shape
_MAX_ANSWERS = 20_000  # cached


class JudgedCall(NamedTuple):
    """A past call with its answers. `before` is None where there is one policy alone."""

    call: PastCall
    action: Action
    shape: str
    before: Decision | None
    after: Decision


class Example(NamedTuple):
    """A call of a group, and what it does."""

    call: PastCall
    action: Action


@dataclass(slots=True)
class ChangeGroup:
    """Calls that change in the same way: by the rule that a person would be told, and their shape."""

    change: AnswerChange
    verdict: Verdict
    rule: str
    shape: str
    outcomes: dict[str, int] = field(default_factory=dict)
    examples: list[Example] = field(default_factory=list)

    @property
    def call_count(self) -> int:
        return sum(self.outcomes.values())


@dataclass(slots=True)
class Comparison:
    """`indeterminate`: recorded calls that cannot be judged, with the reason. `gone`: calls whose folder no longer exists.
    `continued`: calls whose answer was found by an earlier replay that was interrupted."""

    calls: int = 0
    continued: int = 0
    repeated: int = 0
    gone: int = 0
    sessions: set[str] = field(default_factory=set)
    indeterminate: dict[str, int] = field(default_factory=dict)
    groups: dict[tuple[object, ...], ChangeGroup] = field(default_factory=dict)

    def count_calls(self, change: AnswerChange) -> int:
        return sum(group.call_count for group in self.groups.values() if group.change == change)

    def largest_groups(self, change: AnswerChange) -> list[ChangeGroup]:
        """Returns the groups of one change, those with most executed calls first."""
        found = [group for group in self.groups.values() if group.change == change]
        return sorted(found, key=lambda group: (-group.outcomes.get("ran", 0), -group.call_count, group.rule, group.shape))


PolicyLookup = Callable[[Scene], Policy]


class _PolicyCache:
    """Caches one policy for all calls of a project."""

    def __init__(self, policy_of: PolicyLookup) -> None:
        self._policy_of = policy_of
        self._known: dict[str, Policy] = {}

    def find_policy(self, scene: Scene) -> Policy:
        if scene.project not in self._known:
            self._known[scene.project] = self._policy_of(scene)
        return self._known[scene.project]


class Replayer:
    """`before` and `after` return the policy of a scene; without `before` there is nothing to compare with. `saved`: the answers
    of a replay that was interrupted."""

    def __init__(
        self,
        environ: Mapping[str, str],
        home: str,
        after: PolicyLookup,
        before: PolicyLookup | None = None,
        saved: SavedAnswers | None = None,
        *,
        network_mounts: tuple[str, ...] | None = None,
    ) -> None:
        """`network_mounts`: the machine's, unless others are given."""
        self._network_mounts = list_network_mounts() if network_mounts is None else network_mounts
        self._saved, self._code = saved, repr(code_stamp()) if saved is not None else ""
        self._environ, self._home = {**environ, "HOME": home}, home
        self._after, self._before = _PolicyCache(after), None if before is None else _PolicyCache(before)
        self._app = App(lambda: LocalWorld(self._network_mounts))
        self._seen: set[str] = set()
        self._there: dict[str, bool] = {}
        self._answers: dict[tuple[str, ...], JudgedCall] = {}
        self.comparison = Comparison()

    def add_calls(self, calls: Iterable[PastCall | UnreadableLine]) -> None:
        for call in self._iter_new_calls(calls):
            try:
                answer = self._find_answer(call)
                self._add_answer(call, answer)
            except BadPayload as problem:
                self._count_indeterminate(f"not a call of {call.host}: {problem}")
                continue
            self.comparison.calls += 1
        if self._saved is not None:
            self._saved.write()

    def judge_calls(self, calls: Iterable[PastCall | UnreadableLine]) -> Iterator[JudgedCall]:
        """Each call once, as far as it can be judged; the others are counted."""
        for call in self._iter_new_calls(calls):
            try:
                judged = self._judge_once(call)
            except BadPayload as problem:
                self._count_indeterminate(f"not a call of {call.host}: {problem}")
                continue
            self.comparison.calls += 1
            yield judged

    def _iter_new_calls(self, calls: Iterable[PastCall | UnreadableLine]) -> Iterator[PastCall]:
        for call in calls:
            if isinstance(call, UnreadableLine):
                self._count_indeterminate(f"unreadable: {call.cause}")
            elif call.call in self._seen:
                self.comparison.repeated += 1
            else:
                self._seen.add(call.call)
                if is_beneath(call.cwd, self._network_mounts) or is_beneath(call.project, self._network_mounts):
                    self._count_indeterminate("made on a network mount, which is not touched")
                    continue
                self.comparison.sessions.add(f"{call.host}/{call.session}")
                self.comparison.gone += not self._is_existing_folder(call.cwd)
                yield call

    def scene_of(self, call: PastCall) -> Scene:
        """Without its session: what earlier calls of it left in the ledger is not what they had left then."""
        user = self._environ.get("USER", "")
        return Scene(Caller(call.host), call.cwd, call.project, self._home, self._environ, user)

    def effects_of(self, judged_call: JudgedCall) -> Effects:
        """What a call does, read again."""
        scene = self.scene_of(judged_call.call)
        return self._app.judge(judged_call.action, scene, self._after.find_policy(scene)).effects

    def _find_answer(self, call: PastCall) -> Answer:
        if self._saved is None:
            return _summarize_judgement(self._judge_once(call))
        scene = self.scene_of(call)
        policies = [each.find_policy(scene).digest for each in (self._after, self._before) if each is not None]
        question = json.dumps(
            [self._code, policies, call.host, call.tool, call.cwd, call.project, call.arguments], sort_keys=True
        )
        key = sha256(question.encode()).hexdigest()
        if (known := self._saved.find_answer(key)) is not None:
            self.comparison.continued += 1
            return known
        answer = _summarize_judgement(self._judge_once(call))
        self._saved.add(key, answer)
        return answer

    def _add_answer(self, call: PastCall, answer: Answer) -> None:
        """Raises BadPayload."""
        if not answer.change:
            return
        change = next(each for each in ANSWER_CHANGES if each == answer.change)
        key = change, answer.verdict, answer.rule, answer.shape
        group = self.comparison.groups.setdefault(key, ChangeGroup(*key))
        if len(group.examples) < MAX_EXAMPLES:
            group.examples.append(Example(call, _parse_action(call)))
        group.outcomes[call.outcome] = group.outcomes.get(call.outcome, 0) + 1

    def _judge_once(self, call: PastCall) -> JudgedCall:
        """Caches judgements, as if the machine did not change meanwhile: identical calls get the same answer."""
        key = call.host, call.tool, call.cwd, call.project, json.dumps(call.arguments, sort_keys=True)
        known = self._answers.get(key)
        if known is not None:
            return known._replace(call=call)
        judged = self._judge_call(call)
        if len(self._answers) < _MAX_ANSWERS:
            self._answers[key] = judged
        return judged

    def _judge_call(self, call: PastCall) -> JudgedCall:
        action = _parse_action(call)
        scene = self.scene_of(call)
        after = self._app.judge(action, scene, self._after.find_policy(scene))
        before = None
        if self._before is not None:
            before = self._app.judge(action, scene, self._before.find_policy(scene)).decision
        return JudgedCall(call, action, describe_shape(call, action, after.effects), before, after.decision)

    def _is_existing_folder(self, folder: str) -> bool:
        if folder not in self._there:
            self._there[folder] = os.path.isdir(folder)
        return self._there[folder]

    def _count_indeterminate(self, cause: str) -> None:
        self.comparison.indeterminate[cause] = self.comparison.indeterminate.get(cause, 0) + 1


def _parse_action(call: PastCall) -> Action:
    """Raises BadPayload."""
    if call.host not in hosts.HOSTS:
        raise BadPayload(f"there is no host {call.host!r}")
    if not (os.path.isabs(call.cwd) and os.path.isabs(call.project)):
        raise BadPayload("no absolute path says where it was made")
    return call.action or hosts.load_host(call.host).parse_action(call.tool, call.arguments, call.cwd)


def _summarize_judgement(judged_call: JudgedCall) -> Answer:
    change = compare_decisions(judged_call.before, judged_call.after)
    told = judged_call.before if change == "newly free" and judged_call.before is not None else judged_call.after
    rule = next((finding.rule for finding in sort_by_weight(told.findings)), "") if change is not None else ""
    return Answer(change or "", told.verdict, rule, judged_call.shape)


def compare_decisions(before: Decision | None, after: Decision) -> AnswerChange | None:
    """Returns how the answer to a call changes; None where it does not."""
    stops = after.verdict >= Verdict.ASK
    if before is None:
        return "stopped" if stops else None
    if (before.verdict >= Verdict.ASK) != stops:
        return "newly stopped" if stops else "newly free"
    if not stops or (before.verdict == after.verdict and set(_iter_stopping_rules(before)) == set(_iter_stopping_rules(after))):
        return None
    return "other reason"


def _iter_stopping_rules(decision: Decision) -> Iterator[str]:
    return (finding.rule for finding in decision.findings if finding.verdict >= Verdict.ASK)


def describe_shape(call: PastCall, action: Action, effects: Effects) -> str:
    """Returns the shape of a call, without its arguments: the programs of a command with their subcommands, or the name of a
    tool."""
    if not isinstance(action, RunShell):
        return call.tool
    found: dict[str, None] = {}
    for run in effects.of_kind(Run):
        if run.origin.via or not run.argv or run.argv[0].text is None:
            continue
        name = run.argv[0].text.rpartition("/")[2]
        verb = run.argv[1].text if len(run.argv) > 1 else None
        found.setdefault(f"{name} {verb}" if verb and verb.isalpha() and verb.islower() else name)
    names = list(found)
    return ", ".join(names[:_MAX_PROGRAMS]) + (", ..." if len(names) > _MAX_PROGRAMS else "") or call.tool

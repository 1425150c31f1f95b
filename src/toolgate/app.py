"""The composition root: Request -> Answer. Total and closed: the host always gets a well-formed answer."""

import time
from collections.abc import Callable
from functools import partial

from . import hosts, policy
from .machine.environment_injection import drop_injected
from .machine.world import MachineWorld
from .model.action import Action, RunShell
from .model.decision import NO_OBJECTION, Decision, Verdict
from .model.embedding import NO_EMBEDDING, Embedding
from .model.errors import BadPayload, OutOfTime, StoreError, code_location
from .model.event import (
    NO_SPAWN,
    Caller,
    ConfigChanged,
    Event,
    PermissionRequested,
    PromptSubmitted,
    Scene,
    SessionEnded,
    SessionStarted,
    ToolCall,
    ToolFailed,
    ToolResult,
    TurnEnding,
)
from .model.host import Host
from .model.request import SILENCE, Answer, Request
from .model.rule import Policy, WrittenRule
from .model.store import EMPTY_DOCUMENT, MARKED, Document, Key, Store
from .model.world import World
from .sessions import Stores
from .sessions.failure_answers import CallProgress, answer_without_judgement, refuse_unread_call
from .sessions.judgement_cache import JudgementCache
from .sessions.judgements import Judgement, judge_call
from .sessions.steps import JudgedCall, finish_decision, prepare_answer


class App:
    """`world`: creates the World of one call. `stores`: the user's stores, unless others are given."""

    def __init__(
        self, world: Callable[[], World] = MachineWorld, stores: Stores | None = None, *, embedding: Embedding = NO_EMBEDDING
    ) -> None:
        self._world = world
        self._stores = stores or Stores()
        self._recall = JudgementCache()
        self._embedding = embedding

    def handle(self, request: Request) -> Answer:
        """Judges one hook call. A call that cannot be read or judged is refused, with a reason that says what to do."""
        try:
            host = hosts.load_host(request.host)
        except KeyError:
            reason = f"toolgate knows no host named {request.host!r}; `toolgate install HOST` registers the hook again."
            return Answer(stderr=reason, exit_code=2)
        standing = CallProgress()
        try:
            return self._read_and_answer(host, request, standing)
        except OutOfTime:
            failure = "toolgate ran out of time judging this call"
            return answer_without_judgement(host, request, standing, failure, "on_timeout", self._stores)
        except Exception as problem:  # noqa: BLE001  (law 5: the one place that catches everything, and it refuses)
            failure = f"toolgate could not judge this call ({type(problem).__name__}{code_location(problem)})"
            return answer_without_judgement(host, request, standing, failure, "on_error", self._stores)

    def _read_and_answer(self, host: Host, request: Request, progress: CallProgress) -> Answer:
        try:
            event = host.read(request)
            if event is None:
                return SILENCE
            refusal, event = drop_injected(event, host, request)
            if refusal:
                return host.refuse(request.event, refusal)
            return self._answer_event(self._with_caller(event, request), host, request, progress)
        except BadPayload as problem:
            return refuse_unread_call(host, request, problem, self._stores)

    def _with_caller(self, event: Event, request: Request) -> Event:
        """Returns the event with data that only the gate has: who started the caller, and its home folder if no variable gives
        it."""
        scene = event.scene
        if self._embedding.spawn != NO_SPAWN:
            scene = scene._replace(spawn=self._embedding.spawn)
        if not scene.home:
            from .machine.home_folders import home_of_account

            scene = scene._replace(home=home_of_account(request.uid))
        return event if scene is event.scene else event._replace(scene=scene)

    def judge(self, action: Action, scene: Scene, in_force: Policy, now: float = 0.0) -> Judgement:
        """Judges an action. `now` is used only to expire documents of the store, which few rules read."""

        asked: dict[Key, Document] = {}

        def load_document(key: Key) -> Document:
            if key not in asked:
                asked[key] = self._load_document(key, scene, in_force, now)
            return asked[key]

        world = self._world()
        judging = partial(judge_call, is_embedded=self._embedding is not NO_EMBEDDING)
        anew = partial(judging, action, scene, in_force)
        judgement = self._recall.judge_or_reuse(action, scene, in_force, world, load_document, anew)
        if judgement.decision.verdict >= Verdict.ASK:
            from .sessions.suggestions import keep_permitted_suggestions

            def judge_alone(instead: RunShell) -> Decision:
                return judging(instead, scene, in_force, self._world(), load_document).decision

            decision = keep_permitted_suggestions(judgement.decision, judgement.effects, judgement.policy, judge_alone)
            judgement = judgement._replace(decision=decision)
        return judgement._replace(world=world)

    def _load_document(self, key: Key, scene: Scene, in_force: Policy, now: float) -> Document:
        """Returns a document of the store, which is not opened for a marked document that does not exist."""
        if key.name in MARKED and not self._stores.has_document(scene, key.name):
            return EMPTY_DOCUMENT
        return self._stores.find_store(scene, in_force).load((key,), now)[0]

    def load_policy(self, scene: Scene, *, profile: str = "") -> Policy:
        return policy.load(
            scene.environ,
            scene.home,
            scene.project,
            scene.caller.session,
            profile=profile,
            embedding_profile=self._embedding.profile,
            shelf=self._stores.open_shelf(scene),
            try_example=self.make_example_check(scene),
        )

    def make_example_check(self, scene: Scene) -> Callable[[WrittenRule, str], bool]:
        """Returns a function that checks whether a written rule stops an example: a loaded policy's own examples are checked
        by it."""

        def stops_example(rule: WrittenRule, example: str) -> bool:
            found = self.judge(RunShell(example), scene, Policy(written=(rule,))).decision.findings
            return any(finding.rule == rule.id for finding in found)

        return stops_example

    # ---- events

    def _answer_event(self, event: Event, host: Host, request: Request, progress: CallProgress) -> Answer:
        match event:
            case ToolCall() | PermissionRequested():
                return self._answer_call(event, host, request, progress)
            case ToolResult() | ToolFailed():
                from .sessions.result_events import answer_result

                in_force = partial(self.load_policy, event.scene)
                return answer_result(event, host, request, in_force, self._stores, self._world)
            case SessionStarted():
                return host.answer(self._start_session(event, request), event)
            case SessionEnded(scene):
                return host.answer(self._end_session(scene, host, request), event)
            case PromptSubmitted():
                return self._answer_prompt(event, host, request)
            case ConfigChanged():
                from .sessions.session_lifecycle import check_config_change

                return check_config_change(event, host, request) or SILENCE
            case TurnEnding():
                return self._end_turn(event, host, request.now)
            case _:
                return SILENCE

    def _answer_call(self, event: ToolCall | PermissionRequested, host: Host, request: Request, progress: CallProgress) -> Answer:
        began = time.perf_counter_ns()
        in_force = self.load_policy(event.scene)
        event = _unwrap_command(event)
        progress.event, progress.policy = event, in_force

        def judge(action: Action, policy: Policy) -> Judgement:
            return self.judge(action, event.scene, policy, request.now)

        call = JudgedCall(event, host, request, self._stores, judge, self._world, self._embedding.watch, began)
        judgement = finish_decision(call, judge(event.action, in_force))
        progress.decision = judgement.decision
        decision = prepare_answer(call, judgement)
        if judgement.policy.answers == "legacy" and isinstance(event, ToolCall):
            return host.legacy_answer(decision, event)
        return host.answer(decision, event)

    def _answer_prompt(self, event: PromptSubmitted, host: Host, request: Request) -> Answer:
        """Handles a prompt: `approve CODE` answers a request; other things that the user names are trusted from then on."""
        from .sessions.approval_answers import answer_prompt
        from .sessions.ledger import record_prompt

        in_force = self.load_policy(event.scene)

        def open_store() -> Store:
            return self._stores.find_store(event.scene, in_force)

        if answer := answer_prompt(event, in_force, host, request, open_store):
            return answer
        if host.read_seat(request.environ).attended is not False:  # otherwise a program wrote it, which may quote anybody
            record_prompt(event, request.now, open_store)
        return SILENCE

    def _start_session(self, event: SessionStarted, request: Request) -> Decision:
        """Pins the policy, checks the wiring and tells the user about problems. A compacted conversation is the same session:
        what applied before still applies."""
        from .sessions.session_lifecycle import collect_start_notices

        scene = event.scene
        if event.source != "compact":
            where = (scene.environ, scene.home, scene.project, scene.caller.session)
            embedded, shelf = self._embedding.profile, self._stores.open_shelf(scene)
            policy.pin_policy(
                *where, request.now, embedding_profile=embedded, shelf=shelf, try_example=self.make_example_check(scene)
            )
        in_force = self.load_policy(scene)
        return _notice_decision(collect_start_notices(scene, in_force, request.host, self._world, request.now, self._stores))

    def _end_session(self, scene: Scene, host: Host, request: Request) -> Decision:
        from .sessions.session_lifecycle import end_session, keep_checkpoint

        try:
            in_force = self.load_policy(scene)
            end_session(scene, in_force, host, self._stores.find_store(scene, in_force), request.now)
        except StoreError as problem:
            return _notice_decision([f"{problem}; what was approved for this session may outlast it until it expires"])
        lost = keep_checkpoint(scene, in_force, self._stores, request)
        return _notice_decision([lost] if lost else [])

    def _end_turn(self, event: TurnEnding, host: Host, now: float) -> Answer:
        """Ends a turn. Any failure keeps the turn from ending: the host accepts no other refusal."""
        in_force = self.load_policy(event.scene)
        if "plan.unfinished" not in in_force.rulings:
            return SILENCE
        from .sessions import turn_end

        if not turn_end.is_configured(in_force, event.scene):
            return SILENCE
        decision = turn_end.decide_turn_end(event, in_force, self._world(), now, self._stores)
        return host.answer(decision, event)


def _unwrap_command(event: ToolCall | PermissionRequested) -> ToolCall | PermissionRequested:
    """Returns the event with the requested command, if it runs through the filter."""
    if not isinstance(event.action, RunShell) or not event.action.text.startswith("__toolgate_"):
        return event
    from .sessions.command_filter import unwrap_command

    command = unwrap_command(event.action.text)
    return event if command is None else event._replace(action=event.action._replace(text=command))


def _notice_decision(notices: list[str]) -> Decision:
    if not notices:
        return NO_OBJECTION
    return Decision(Verdict.WARN, Verdict.WARN, tell_user="toolgate: " + "\n".join(notices))


def local_scene(cwd: str, home: str, environ: dict[str, str], project: str = "") -> Scene:
    """Returns a scene without a host, for manual queries."""
    return Scene(Caller("toolgate"), cwd, project or cwd, home, environ, environ.get("USER", ""))

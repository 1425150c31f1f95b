"""Work that code puts into a queue or a topic of production, where programs that others rely on carry it out."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from toolgate.locality import names_production
from toolgate.model.word import Word, known_word

from .mass_messages import is_for_many
from .opened_addresses import iter_settings
from .values import Instance, Value, text_of, word_of

if TYPE_CHECKING:
    from .shared_state import Arguments, Evaluation

_TASK_METHODS = frozenset(
    (
        *("send_task", "apply_async", "delay", "enqueue", "enqueue_in", "enqueue_at", "enqueue_call", "perform_async"),
        *("perform_in", "sendToQueue"),
    )
)
"""Methods that have a worker carry out a task: of Celery, RQ, Sidekiq, amqplib."""
_EVENT_METHODS = frozenset(("produce", "publish", "basic_publish", "basicPublish", "send_and_wait", "sendBatch", "addBulk"))
"""Methods that publish an event for whoever listens: of clients of Kafka, RabbitMQ, NATS and Redis."""
_TOPIC_KEYS = frozenset("topic queue routing_key routingkey exchange channel subject".split())
_BROKER_KEYS = ("broker_url", "broker")


def report_queued_work(evaluation: Evaluation, name: str, arguments: Arguments) -> None:
    """Reports a task that is queued at a broker of production, and events for each item of a list that are published there, or
    in a topic that is named production."""
    report = evaluation.report
    method = name.rpartition(".")[2]
    if method == "config_from_object":
        _note_broker_of_module(evaluation, arguments)
    if report.is_excused or method not in _TASK_METHODS | _EVENT_METHODS:
        return
    is_at_production = report.openings.production is not None
    if method in _EVENT_METHODS:
        is_at_production |= any(map(names_production, _iter_topics(report.openings.likely.find_arguments(arguments), method)))
        is_at_production &= is_for_many(evaluation)
    if is_at_production:
        report.operation("tool.act", known_word("code that queues work in production"), sends=True)


def _iter_topics(arguments: Arguments, method: str) -> Iterator[Word]:
    """Yields what names the topic or the queue: a setting, or the first argument."""
    yield from (word_of(value) for key, value in iter_settings(arguments) if key in _TOPIC_KEYS)
    if method in ("produce", "publish"):
        yield from (word_of(each) for each in arguments.positional[:1] if text_of(each) is not None)


def _note_broker_of_module(evaluation: Evaluation, arguments: Arguments) -> None:
    """`app.config_from_object(celeryconfig)` of Celery: the broker that a module of settings names."""
    given = next(iter(arguments.positional), None)
    module: Value | None = evaluation.load_module(text_of(given) or "?") if isinstance(given, Word) else given
    fields = module.fields if isinstance(module, Instance) else {}
    for key in _BROKER_KEYS:
        if key in fields:
            evaluation.report.openings.note_setting(key, fields[key])

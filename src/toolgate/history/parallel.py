"""Replays calls in several processes: each judges the calls whose ids fall to it, and a repeated call is still judged once."""

import multiprocessing
import pickle
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from multiprocessing.connection import Connection
from types import MappingProxyType
from typing import Any
from zlib import crc32

from .calls import PastCall, UnreadableLine
from .replay import MAX_EXAMPLES, ChangeGroup, Comparison, Replayer

Calls = Iterable[PastCall | UnreadableLine]


class LostWorker(Exception):
    """A process ended before it returned its part."""


def replay_in_processes(
    make_replayer: Callable[[], Replayer], read_files: Callable[[bool], Iterator[Calls]], workers: int
) -> Comparison:
    """Returns the comparison of all calls. Each process reads every file by itself: `read_files` is told whether it is the first,
    which reports progress and problems. Raises LostWorker."""
    if workers == 1:
        return _replay_part(make_replayer(), read_files(True), 0, 1)
    context = multiprocessing.get_context("fork")  # policies are looked up by closures, which cannot be sent
    total, processes = Comparison(), []
    for number in range(1, workers):
        receiver, sender = context.Pipe(duplex=False)
        process = context.Process(target=_run_worker, args=(sender, make_replayer, read_files, number, workers), daemon=True)
        process.start()
        sender.close()
        processes.append((process, receiver))
    _merge(total, _replay_part(make_replayer(), read_files(True), 0, workers))
    for process, receiver in processes:
        try:
            _merge(total, pickle.loads(receiver.recv_bytes()))  # from our own process
        except EOFError:
            raise LostWorker from None
        process.join()
    return total


def _run_worker(
    sender: Connection,
    make_replayer: Callable[[], Replayer],
    read_files: Callable[[bool], Iterator[Calls]],
    number: int,
    worker_count: int,
) -> None:
    sender.send_bytes(_Encoder.encode(_replay_part(make_replayer(), read_files(False), number, worker_count)))
    sender.close()


def _replay_part(replayer: Replayer, files: Iterator[Calls], number: int, worker_count: int) -> Comparison:
    for calls in files:
        replayer.add_calls(each for each in calls if _worker_of(each, worker_count) == number)
    return replayer.comparison


def _worker_of(call: PastCall | UnreadableLine, worker_count: int) -> int:
    return 0 if isinstance(call, UnreadableLine) else crc32(call.call.encode(errors="surrogatepass")) % worker_count


class _Encoder(pickle.Pickler):
    """Encodes read-only mappings as well."""

    @staticmethod
    def encode(value: object) -> bytes:
        from io import BytesIO

        buffer = BytesIO()
        _Encoder(buffer).dump(value)
        return buffer.getvalue()

    def reducer_override(self, obj: Any) -> Any:
        return (MappingProxyType, (dict(obj),)) if isinstance(obj, MappingProxyType) else NotImplemented


def _merge(total: Comparison, part: Comparison) -> None:
    total.calls += part.calls
    total.continued += part.continued
    total.repeated += part.repeated
    total.gone += part.gone
    total.sessions |= part.sessions
    for cause, count in part.indeterminate.items():
        total.indeterminate[cause] = total.indeterminate.get(cause, 0) + count
    for key, group in part.groups.items():
        if key in total.groups:
            _merge_group(total.groups[key], group)
        else:
            total.groups[key] = replace(group)


def _merge_group(total: ChangeGroup, part: ChangeGroup) -> None:
    for outcome, count in part.outcomes.items():
        total.outcomes[outcome] = total.outcomes.get(outcome, 0) + count
    total.examples = [*total.examples, *part.examples][:MAX_EXAMPLES]

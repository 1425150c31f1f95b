"""What code asks of Amazon's services: its library names calls as the command line does, but for the spelling."""

from __future__ import annotations

import re
from collections.abc import Iterator

from toolgate.model.effect import Reported, Run
from toolgate.model.seen import Seen
from toolgate.model.word import known

_LIBRARY = re.compile(r"@aws-sdk/(?:client-)?(?P<service>[\w-]+)|\baws-sdk\b")
_CALLS = re.compile(r"\bnew\s+(?:\w+\.)?(\w+)Command\s*\(|\.([a-z]+[A-Z]\w*)\s*\(")


def asked(source: str, seen: Seen) -> Iterator[Reported]:
    """`new DeleteBucketCommand(...)` and `s3.deleteBucket(...)` are `aws s3 delete-bucket`."""
    library = _LIBRARY.search(source)
    if library is None:
        return
    for match in _CALLS.finditer(source):
        verb = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "-", match[1] or match[2]).lower()
        yield Run((known("aws"), known(library["service"] or "api"), known(verb)), seen.origin, "aws-sdk")

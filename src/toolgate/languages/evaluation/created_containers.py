"""Containers that code creates with a client of Docker's interface, by its settings: `Privileged`, `Binds`, `PidMode`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from toolgate.model.word import Word, known_word

from .opened_addresses import iter_settings
from .values import TRUE, Value, word_of

if TYPE_CHECKING:
    from .reporter import Reporter
    from .shared_state import Arguments

_CREATES = re.compile(r"(?i)(?:create_?container|container_?create|containers\.(?:create|run)|(?:^|\.)run)$").search
_OPTIONS = {
    "binds": "-v",
    "networkmode": "--network",
    "pidmode": "--pid",
    "ipcmode": "--ipc",
    "usernsmode": "--userns",
    "capadd": "--cap-add",
    "securityopt": "--security-opt",
}


def report_created_container(report: Reporter, name: str, arguments: Arguments) -> None:
    """Reports a container with settings of its host as `docker run` starts one."""
    if _CREATES(name) is None:
        return
    settings = [(key.replace("_", ""), value) for key, value in iter_settings(arguments)]
    options = list(_list_options(settings))
    if options:
        image = next((word_of(value) for key, value in settings if key in ("image", "")), known_word("an-image"))
        report.command(known_word("docker"), known_word("run"), *options, image)


def _list_options(settings: list[tuple[str, Value]]) -> Iterator[Word]:
    for key, value in settings:
        if key == "privileged" and value == TRUE:
            yield known_word("--privileged")
        elif key in _OPTIONS:
            yield known_word(_OPTIONS[key])
            yield word_of(value)

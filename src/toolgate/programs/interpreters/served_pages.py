"""The pages of PHP's own server: `php -S ADDRESS -t FOLDER` runs a page when somebody requests it."""

import re
from collections.abc import Iterator
from itertools import pairwise

from toolgate.model.effect import ReportedEffect
from toolgate.model.execution_context import ExecutionContext
from toolgate.model.word import Word, known_word

from .script_interpreters import run_script_file

_LOOPBACK = re.compile(r"localhost\b|127\.|\[::1\]")
_MOST_PAGES = 16


def run_served_pages(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    """Runs the folder's `index.php`, and the pages that this call wrote, if other machines can request them. A router is an
    operand: it runs as any script."""
    address = next((value for option, value in pairwise(argv) if option.text == "-S"), None)
    if address is None or _LOOPBACK.match(address.head):
        return
    folder = next((value for option, value in pairwise(argv) if option.text == "-t"), known_word("."))
    index, place = folder + known_word("/index.php"), context.resolve_place(folder)
    written = [name for name in context.list_written_files(place.path) if name.endswith(".php")] if place.path else []
    pages = [index, *(known_word(name) for name in written if not name.endswith("/index.php"))]
    for page in pages[:_MOST_PAGES]:
        if context.read_alternatives(page):
            yield from run_script_file("php", page, (), context)

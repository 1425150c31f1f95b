"""Progress of long work, shown on standard error."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def show_progress(first: str) -> Iterator[Callable[[str], None]]:
    """Shows what is being done, only where standard error is a terminal. Yields a function that says what is done next."""
    from rich.console import Console

    console = Console(stderr=True)
    if not console.is_terminal:
        yield lambda _what: None
        return
    with console.status(first) as status:
        yield status.update

"""What Python's libraries do, a row a call (`evaluation.rows`). GROWS: a row, or a file of rows and a line here."""

from . import clients, files, platforms, processes

ROWS = "\n".join((files.ROWS, processes.ROWS, clients.ROWS, platforms.ROWS))

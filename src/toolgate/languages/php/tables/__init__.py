"""What PHP's functions and classes do, a row a call (`evaluation.rows`). GROWS: a row, or a file of rows and a line here."""

from . import clients, files, processes

ROWS = "\n".join((files.ROWS, processes.ROWS, clients.ROWS))

"""Calls of Python's libraries, one row each (`evaluation.table_rows`). GROWS: a row, or a file of rows and a line here."""

from . import builds, clients, files, platforms, processes

ROWS = "\n".join((files.ROWS, processes.ROWS, clients.ROWS, platforms.ROWS, builds.ROWS))

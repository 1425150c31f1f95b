"""Calls of JavaScript's libraries, one row each (`evaluation.table_rows`). GROWS: a row, or a file of rows and a line here.

The calls of `fs` are written without `Sync` and are the same in every module that stands in for it (`library.canonical_name`).
"""

from . import builds, clients, files, processes

ROWS = "\n".join((files.ROWS, processes.ROWS, clients.ROWS, builds.ROWS))

"""Effects of Go's packages, one row per call (`evaluation.table_rows`).

GROWS: a row, or a file of rows and a line here.
"""

from . import clients, files, processes

ROWS = "\n".join((files.ROWS, processes.ROWS, clients.ROWS))

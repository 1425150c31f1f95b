"""Effects of Perl's functions and modules, one row per call (`evaluation.rows`). GROWS: a row, or a file of rows and a line here.

Functions are written without their module; methods of classes as `Class.method`.
"""

from . import clients, files, processes

ROWS = "\n".join((files.ROWS, processes.ROWS, clients.ROWS))

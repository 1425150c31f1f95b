"""Effects of Ruby's libraries, one row per call (`evaluation.rows`). GROWS: a row, or a file of rows and a line here.

`block` is the block that a call is given. FileUtils and Kernel are called with and without their names.
"""

from . import clients, files, frameworks, processes

ROWS = "\n".join((files.ROWS, processes.ROWS, clients.ROWS, frameworks.ROWS))

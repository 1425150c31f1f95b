"""Compares the reading of Python with Python: every call that a program really made must have been read."""

import os

from differential.comparing import compare_readings
from differential.python_execution import really_run
from differential.python_programs import Programs
from toolgate.languages.python import grammar

SEED = int(os.environ.get("FUZZ_SEED", "1"))
COUNT = int(os.environ.get("FUZZ_COUNT", "0")) or 1500


def test_whatever_ran_was_read() -> None:
    compare_readings("python", Programs(SEED), COUNT, really_run, grammar.parse_source, grammar.node_types())

"""Says yes to what waits, as `toolgate approve` does once a person has: `approve.py KEEPER USER`."""

import sys
import time

from toolgate.model.errors import StoreError
from toolgate.sessions.answering import give, listed
from toolgate.stores import store

kept = store(f"supervised:{sys.argv[1]}?{sys.argv[2]}", "")
try:
    for each in listed(kept, time.time()):
        if each.state == "pending":
            give(kept, each.request, yes=True, reach="once", now=time.time(), how="terminal")
except StoreError as problem:
    print(problem)

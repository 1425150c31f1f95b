"""Approves pending requests, as `toolgate approve` does for a person: `approve.py KEEPER USER`."""

import sys
import time

from toolgate.model.errors import StoreError
from toolgate.sessions.approval_answers import iter_requests, store_answer
from toolgate.stores import find_store

kept = find_store(f"supervised:{sys.argv[1]}?{sys.argv[2]}", "")
try:
    for each in iter_requests(kept, time.time()):
        if each.state == "pending":
            store_answer(kept, each.request, yes=True, reach="once", now=time.time(), how="terminal")
except StoreError as problem:
    print(problem)

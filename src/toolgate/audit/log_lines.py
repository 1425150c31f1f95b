"""Appends a line to a design's own log. The log is in a folder where an agent works: its path may lead to something else than a
file."""

import os
import stat

from toolgate.machine import descriptors

OPEN_FLAGS = (
    os.O_WRONLY
    | os.O_APPEND
    | os.O_CREAT
    | descriptors.CLOEXEC
    | descriptors.NOFOLLOW
    | descriptors.NONBLOCK
    | descriptors.NOCTTY
)


def append_line(file: str, line: str, consequence: str) -> str:
    """Returns what went wrong, in a sentence that ends with the consequence; empty when nothing did."""
    try:
        descriptor = os.open(file, OPEN_FLAGS, 0o644)
        try:
            if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                return f"{file} is no file: {consequence}"
            os.write(descriptor, line.encode() + b"\n")
        finally:
            os.close(descriptor)
    except OSError as problem:
        return f"{file} cannot be written: {problem.strerror or problem}; {consequence}"
    return ""

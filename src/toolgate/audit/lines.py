"""A line at the end of a design's own log. It lies where an agent works: what stands in its place may be no file at all."""

import os
import stat

WAYS_IN = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY


def append(file: str, line: str, lost: str) -> str:
    """What went wrong, in a sentence that ends with what is lost by it; empty when nothing did."""
    try:
        descriptor = os.open(file, WAYS_IN, 0o644)
        try:
            if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                return f"{file} is no file: {lost}"
            os.write(descriptor, line.encode() + b"\n")
        finally:
            os.close(descriptor)
    except OSError as problem:
        return f"{file} cannot be written: {problem.strerror or problem}; {lost}"
    return ""

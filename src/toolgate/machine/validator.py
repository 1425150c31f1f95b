"""The user's own validation program: run without a shell, with a deadline, and never waited for
beyond it."""

import subprocess
import tempfile
from collections.abc import Mapping, Sequence

from .processes import kill_group

MAX_OUTPUT_BYTES = 4000  # bytes of its output


def find_failure(argv: Sequence[str], folder: str, environ: Mapping[str, str], seconds: float) -> str:
    """Returns what the validator reports; empty if it exits with 0. A validator that cannot be run, or exceeds its time, fails,
    too."""
    if not argv[0].startswith("/"):
        return f"the validator {argv[0]} is not an absolute path; fix it in the policy"
    with tempfile.TemporaryFile() as output:
        try:
            process = subprocess.Popen(
                list(argv),
                cwd=folder,
                env=dict(environ),
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        except (OSError, ValueError) as problem:
            return f"the validator {argv[0]} cannot be run: {getattr(problem, 'strerror', None) or problem}"
        try:
            code = process.wait(seconds)
        except subprocess.TimeoutExpired:
            return f"the validator {argv[0]} did not end within {seconds:g} seconds"
        finally:
            kill_group(process)
            process.wait()
        if code == 0:
            return ""
        output.seek(0)
        report = output.read(MAX_OUTPUT_BYTES).decode(errors="replace").strip()
        return f"{argv[0]} ended with {code}{': ' + report if report else ''}"

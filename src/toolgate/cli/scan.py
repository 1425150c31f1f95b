"""`toolgate scan`: finds secrets in files, or in what is staged for the next commit, and never repeats their values."""

import json
import os
import stat
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path

import click

from toolgate.model.errors import ToolgateError
from toolgate.model.rule import Policy
from toolgate.policy import load
from toolgate.redaction.detectors import tier_of_kind
from toolgate.redaction.settings import build_finder, is_excluded_path

from .surroundings import AS_JSON, DIRECTORY, PROFILE, Surroundings, read_surroundings

MAX_FILE_BYTES = 64 * 1024 * 1024
EXIT_FOUND = 1
SKIPPED_FOLDERS = frozenset(
    (".git", ".hg", ".svn", "node_modules", ".venv", "venv", "__pycache__", ".mypy_cache", ".ruff_cache", ".tox")
)
LEVELS = {"sure": "error", "likely": "warning", "personal": "note"}


@dataclass(frozen=True, slots=True)
class Finding:
    """A secret in a file. Lines and columns count from 1. `mark` is the same for the same value in one file, and reveals nothing
    else."""

    path: str
    line: int
    column: int
    end_line: int
    end_column: int
    kind: str
    tier: str
    start: int
    end: int
    mark: str


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("paths", nargs=-1)
@click.option("--staged", is_flag=True, help="scan what is staged for the next commit, instead of files")
@click.option("--sarif", is_flag=True, help="print SARIF 2.1.0, for code scanning")
@click.option("--sure", is_flag=True, help="only forms that only a secret has")
@AS_JSON
@PROFILE
@DIRECTORY
def scan(
    paths: tuple[str, ...], staged: bool, sarif: bool, sure: bool, as_json: bool, profile: str | None, directory: str | None
) -> int:
    """Look for secrets in PATHS (files and folders; - is standard input; without any, the current folder).

    Exit 0: nothing found, 1: something found. Three tiers: sure (a form that only a secret has), likely (a secret's name and a
    value that looks like one), personal (e-mail addresses, and what else the policy asks for). A value is never shown.

    \b
    Examples:
      toolgate scan src config.yml
      toolgate scan --staged --sure        # as a pre-commit hook
      toolgate scan --sarif > secrets.sarif
    """
    if staged and paths:
        raise click.UsageError("give --staged or paths, not both")
    surroundings = read_surroundings(directory)
    policy = load(surroundings.environ, surroundings.home, surroundings.project, profile=profile or "")
    texts = _read_staged_files(surroundings) if staged else _read_files(paths or (".",), surroundings)
    found = [
        each
        for name, text in texts
        for each in _find_secrets(name, text, policy, surroundings)
        if each.tier == "sure" or not sure
    ]
    if as_json:
        for each in found:
            click.echo(json.dumps({name: getattr(each, name) for name in Finding.__slots__}))
    elif sarif:
        click.echo(json.dumps(_build_sarif(found), indent=2))
    else:
        for each in found:
            click.echo(f"{each.path}:{each.line}:{each.column}: {each.kind} ({each.tier})")
        click.secho(f"{len(found)} found", fg="red" if found else "green", err=True)
    return EXIT_FOUND if found else 0


def _find_secrets(name: str, text: str, policy: Policy, surroundings: Surroundings) -> Iterator[Finding]:
    if is_excluded_path(os.path.join(surroundings.project, name), policy, surroundings.project, surroundings.home):
        return
    starts = [0, *(at + 1 for at, char in enumerate(text) if char == "\n")] if text else [0]
    for hit in build_finder(policy).find(text):
        line, column = _locate_offset(starts, hit.start)
        end_line, end_column = _locate_offset(starts, hit.end)
        mark = sha256(f"{name}\0{text[hit.start : hit.end]}".encode(errors="surrogatepass")).hexdigest()[:16]
        yield Finding(name, line, column, end_line, end_column, hit.kind, tier_of_kind(hit.kind), hit.start, hit.end, mark)


def _locate_offset(starts: list[int], offset: int) -> tuple[int, int]:
    from bisect import bisect_right

    line = bisect_right(starts, offset)
    return line, offset - starts[line - 1] + 1


def _read_files(paths: tuple[str, ...], surroundings: Surroundings) -> Iterator[tuple[str, str]]:
    for path in paths:
        if path == "-":
            yield "-", sys.stdin.buffer.read().decode("utf-8", "replace")
            continue
        root = Path(surroundings.project, path)
        if not root.exists():
            raise click.BadParameter(f"there is no {path}", param_hint="PATHS")
        for file in _walk_files(root):
            text = _read_text(file)
            if text is not None:
                yield os.path.relpath(file, surroundings.project), text


def _walk_files(root: Path) -> Iterator[Path]:
    if not root.is_dir():
        yield root
        return
    for folder, folders, names in os.walk(root):
        folders[:] = sorted(name for name in folders if name not in SKIPPED_FOLDERS)
        yield from (Path(folder, name) for name in sorted(names))


def _read_text(file: Path) -> str | None:
    """Returns the text of a file; None where it is no regular file, too large, or not text."""
    try:
        status = file.lstat()
        if not stat.S_ISREG(status.st_mode) or status.st_size > MAX_FILE_BYTES:
            return None
        data = file.read_bytes()
    except OSError:
        return None
    return None if b"\0" in data[:8192] else data.decode("utf-8", "replace")


def _read_staged_files(surroundings: Surroundings) -> Iterator[tuple[str, str]]:
    """Yields files as they are in the index, not in the work tree."""
    names = _run_git(surroundings, "diff", "--cached", "--name-only", "--diff-filter=ACMR", "-z", "--no-ext-diff").split(b"\0")
    for name in filter(None, names):
        data = _run_git(surroundings, "show", "--no-textconv", f":./{name.decode('utf-8', 'surrogateescape')}", relative=name)
        if b"\0" not in data[:8192]:
            yield name.decode("utf-8", "replace"), data.decode("utf-8", "replace")


def _run_git(surroundings: Surroundings, *words: str, relative: bytes = b"") -> bytes:
    top = surroundings.project
    if relative:
        top = _run_git(surroundings, "rev-parse", "--show-toplevel").decode("utf-8", "surrogateescape").rstrip("\n")
    result = subprocess.run(["git", *words], cwd=top, capture_output=True, check=False)
    if result.returncode:
        raise ToolgateError(f"git {words[0]}: {result.stderr.decode(errors='replace').strip()}; is this a repository?")
    return result.stdout


def _build_sarif(findings: list[Finding]) -> dict[str, object]:
    kinds = sorted({each.kind for each in findings})
    return {
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [
            {
                "tool": {
                    "driver": {
                        "name": "toolgate",
                        "version": version("toolgate"),
                        "rules": [{"id": kind, "shortDescription": {"text": f"A {kind} in a file"}} for kind in kinds],
                    }
                },
                "columnKind": "unicodeCodePoints",
                "results": [
                    {
                        "ruleId": each.kind,
                        "level": LEVELS[each.tier],
                        "message": {"text": f"A {each.kind} stands here."},
                        "partialFingerprints": {"toolgate/v1": each.mark},
                        "locations": [
                            {
                                "physicalLocation": {
                                    "artifactLocation": {"uri": each.path.replace(os.sep, "/")},
                                    "region": {
                                        "startLine": each.line,
                                        "startColumn": each.column,
                                        "endLine": each.end_line,
                                        "endColumn": each.end_column,
                                    },
                                }
                            }
                        ],
                    }
                    for each in findings
                ],
            }
        ],
    }

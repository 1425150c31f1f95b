"""Workflows of forges: commands that run on a disposable machine, with the repository's secrets and its token."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from toolgate.documents import InvalidDocument, read_yaml
from toolgate.flows.issuers import secret_of_variable
from toolgate.model.effect import Carrier, Connect, Interpret, Operation, ReportedEffect, Site
from toolgate.model.execution_context import ExecutionContext
from toolgate.model.word import Hole, HoleKind, Word, known_word, unknown_word


def read_workflow(_path: str, content: Word, context: ExecutionContext) -> Iterator[ReportedEffect]:
    """Yields what a workflow does with the repository's secrets: it runs code of strangers, or sends something. Its other effects
    are confined to the forge's disposable machine."""
    text = content.text or ""
    try:
        top = read_yaml(text)
    except InvalidDocument:
        return
    origin = context.origin._replace(site=Site("ssh:ci"))
    if _reveals_secrets(text):
        yield Operation("credential.print", origin, known_word("secrets of the repository, which no log masks in this form"))
    if isinstance(top, dict) and _is_started_by_strangers(top) and any(map(_runs_head, _tables_in(top.get("jobs")))):
        strangers = known_word("the pull request of a stranger")
        yield Connect(strangers, origin)
        yield Interpret("shell", unknown_word("code of a pull request", frozenset({origin.command})), origin)
    may_write = _grants_writing(text) is not None
    for body, environ in iter_job_commands(top, {}):
        if ((environ or _mentions_secrets(body)) and _sends_data(body)) or (may_write and _runs_download(body)):
            code = interpolate_expressions("".join(f"export {name}='{value}'\n" for name, value in environ.items()) + body)
            yield Interpret("shell", code, context.origin, via=Carrier("workflow"), site=Site("ssh:ci"))


def _is_started_by_strangers(workflow: Mapping[Any, object]) -> bool:
    """Returns whether anybody's pull request starts it with the repository's secrets. YAML reads the key `on` as true."""
    events = workflow.get("on", workflow.get(True))
    names = events if isinstance(events, list | dict) else [events]
    return "pull_request_target" in names or "workflow_run" in names


def _runs_head(job: Mapping[str, Any]) -> bool:
    """Returns whether a job checks out the pull request's own code, and runs commands after that."""
    steps = [step for step in job.get("steps") or () if isinstance(step, dict)]
    heads = [number for number, step in enumerate(steps) if _names_head(str(step))]
    return bool(heads) and any(_runs_code(str(step.get("run", ""))) for step in steps[heads[0] :])


_names_head = re.compile(r"github\.head_ref|pull_request\.head\.|workflow_run\.head_|refs/pull/|\bgh pr checkout\b").search
_runs_code = re.compile(
    r"(?m)^\s*(?:sudo\s+)?(?:[^\s=]+=\S*\s+)*(?:npm|pnpm|yarn|bun|npx|node|deno|make|just|task|cargo|go|pip|uv|poetry|python3?|pytest|tox|nox|bundle"
    r"|rake|ruby|composer|php|gradle|mvn|dotnet|mix|docker|bash|sh|\./\S+|\S*gradlew|\S*mvnw)\b|(?:&&|;)\s*(?:npm|make|\./|bash|sh|python3?)\b"
).search
"""A command that loads code of the working folder."""


def iter_job_commands(top: object, environ: Mapping[str, str]) -> Iterator[tuple[str, Mapping[str, str]]]:
    """Yields the commands of jobs, `run` of a step and the lines of a `script`, with their variables that hold secrets."""
    if isinstance(top, list):
        yield from (found for each in top for found in iter_job_commands(each, environ))
    elif isinstance(top, dict):
        declared = top.get("env")
        if isinstance(declared, dict):
            secrets = {str(name): str(value) for name, value in declared.items() if _SECRET.fullmatch(str(value).strip())}
            environ = {**environ, **secrets}
        for key, value in top.items():
            if key in ("run", "command", "script", "before_script", "after_script"):
                lines = value if isinstance(value, list) else [value]
                yield "\n".join(line for line in lines if isinstance(line, str)), environ
            if isinstance(value, dict | list):
                yield from iter_job_commands(value, environ)


def _tables_in(value: object) -> list[dict[str, Any]]:
    return [each for each in value.values() if isinstance(each, dict)] if isinstance(value, dict) else []


_grants_writing = re.compile(r"^\s*permissions:\s*write-all|^\s*[\w-]+:\s*write\s*$|\{[^}\n]*:\s*write\b", re.MULTILINE).search
_runs_download = re.compile(r"\b(?:curl|wget)\b[^\n|]*\|\s*(?:sudo\s+)?(?:ba|z|da)?sh\b").search
"""A download that runs while the job's token may change the repository."""
_reveals_secrets = re.compile(
    r"\$\{\{\s*toJSON\(\s*secrets\s*\)|\bsecrets\.\w+[^\n|]*\|\s*(?:base64(?!\s+(?:-d|-D|--decode))|base32|rev|xxd|od|hexdump)\b[^\n>]*$",
    re.MULTILINE | re.IGNORECASE,
).search
"""All secrets of the repository as one text, or one written so that the log does not mask it."""
_mentions_secrets = re.compile(r"\b(?:env|printenv|export -p|declare -x)\b|\bsecrets\b|_(?:TOKEN|KEY|SECRET|PASSWORD)\b").search
_sends_data = re.compile(r"\b(?:curl|wget|nc|ncat|socat|nslookup|dig|http|https)\b").search
_EXPRESSION = re.compile(r"(\$\{\{.*?\}\})")
_SECRET = re.compile(r"\$\{\{\s*secrets\.(\w+)\s*\}\}")


def interpolate_expressions(text: str) -> Word:
    """Replaces expressions by unknown parts; a secret of a known issuer is the variable of that name."""
    result = known_word("")
    for part in _EXPRESSION.split(text):
        secret = _SECRET.fullmatch(part)
        if secret is not None and (found := secret_of_variable(secret[1])) is not None and found.issuer:
            result = result + Word((Hole(why=f"${secret[1]}", variable=secret[1], kind=HoleKind.NAMED),))
        else:
            result = result + (unknown_word(part) if part.startswith("${{") else known_word(part))
    return result

"""Deletes the records of a session, for a person at a terminal: `toolgate log --delete`."""

import time

import click

from toolgate.audit.checkpoints import KEY_FILE
from toolgate.audit.deletion import LogInUse, delete_session
from toolgate.machine import supervision
from toolgate.model.errors import ToolgateError

from .log_index import open_index
from .person import demand_person, demand_shown_number
from .session_facts import forget_facts
from .surroundings import read_surroundings
from .tier import find_audit_folder


def delete_records(session: str) -> int:
    """Deletes what is recorded of a session, given by its whole id, after the person confirmed it. Returns the exit code."""
    surroundings = read_surroundings()
    demand_person(surroundings, "delete records")
    folder = find_audit_folder(surroundings)
    demand_shown_number(f"delete what is recorded of session {session}")
    now = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    try:
        count = delete_session(folder, session, now, find_key_file())
    except LogInUse:
        raise click.ClickException("the log is in use: try again in a moment") from None
    except OSError as problem:
        raise ToolgateError(f"{folder} cannot be changed: {problem.strerror or problem}") from None
    open_index(surroundings).remove()
    forget_facts(surroundings, session)
    click.echo(f"{count} record{'s' if count != 1 else ''} deleted")
    return 0 if count else 1


def find_key_file() -> str:
    """Returns the file of the supervisor's key; empty where there is no supervisor."""
    return f"{supervision.STATE_FOLDER}/{KEY_FILE}" if supervision.is_supervised() else ""

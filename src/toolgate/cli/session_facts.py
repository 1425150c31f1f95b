"""What is remembered of a session (docs/sessions.md): `toolgate log --session ID --facts`."""

import json
import time
from collections.abc import Iterator

import click

from toolgate.audit.fields import make_visible
from toolgate.model.store import LEDGER, MADE, MARKED, WRITTEN, Document, Key, Store

from .log_index import limit_to_own_session
from .surroundings import Surroundings, open_user_store


def show_facts(surroundings: Surroundings, session: str, as_json: bool) -> int:
    """Prints the facts of the sessions whose id begins so; beneath an agent, of its own session alone. Returns the exit code."""
    is_own = limit_to_own_session(surroundings)
    found = [(name, facts) for name, facts in _iter_facts(open_user_store(surroundings), session) if is_own({"session": name})]
    for name, facts in found:
        if as_json:
            click.echo(json.dumps({"session": name, **facts}))
            continue
        for title, items in facts.items():
            click.echo(f"{make_visible(name)}  {title}: {len(items)}")
            for item in items:
                click.echo(f"  {make_visible(item)}")
    if not found and not as_json:
        click.echo("nothing is remembered of such a session", err=True)
    return 0 if found else 1


def forget_facts(surroundings: Surroundings, session: str) -> None:
    """Forgets everything that was remembered of a session, given by its whole id."""
    store, now = open_user_store(surroundings), time.time()
    for part in MARKED:
        for scope, _ in list(store.scopes(part, now)):
            if scope.kind == "session" and scope.name.partition("/")[2] == session:
                store.update(Key(scope, part), lambda _before: ({}, None), now)


def _iter_facts(store: Store, session: str) -> Iterator[tuple[str, dict[str, list[str]]]]:
    now = time.time()
    parts: dict[str, dict[str, Document]] = {}
    for part in sorted(MARKED):
        for scope, document in store.scopes(part, now):
            name = scope.name.partition("/")[2]
            if scope.kind == "session" and name.startswith(session) and document:
                parts.setdefault(name, {})[part] = document
    for name, documents in sorted(parts.items()):
        ledger = documents.get(LEDGER, {})
        yield (
            name,
            {
                "created": sorted(documents.get(MADE, {}).get("made", {})),
                "branches": sorted(documents.get(MADE, {}).get("branches", {})),
                "code written": sorted(documents.get(WRITTEN, {})),
                "fetched": [f"{path} from {source}" for path, source in sorted(ledger.get("fetched", {}).items())],
                "untrusted sources": list(ledger.get("sources", ())),
                "values, as digests": [
                    f"{len(ledger.get('heard', ()))} untrusted, {len(ledger.get('said', ()))} named by the user"
                ],
            },
        )

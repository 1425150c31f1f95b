"""Renders the report as one HTML file.

A content security policy allows its own two scripts and its style by digest, and nothing else.
"""

import json
import os
from base64 import b64encode
from collections.abc import Iterator
from datetime import UTC, datetime
from hashlib import sha256

import jinja2

from toolgate import rules
from toolgate.audit.fields import make_visible
from toolgate.audit.verification import Verification

from .figures import VERDICTS, Figures, Step, Tally, percentiles

ASSETS = f"{os.path.dirname(__file__)}/assets"
MOST_ROWS = 60  # of a table
SHOWN_FAULTS = 20


def render_page(figures: Figures, verification: Verification, now: str) -> str:
    """Returns the page. `now` is the creation time as it is displayed."""
    scripts = [f"/*\n{read_asset('uPlot.LICENSE')}\n*/\n{read_asset('uPlot.iife.min.js')}", read_asset("report.js")]
    style = read_asset("uPlot.min.css") + read_asset("report.css")
    return _load_template("report.html.j2").render(
        now=now,
        policy_of_content=_content_security_policy(scripts, [style]),
        scripts=scripts,
        style=style,
        **_collect_values(figures, verification),
    )


def render_sections(figures: Figures, verification: Verification) -> str:
    """Returns the part of the page with the figures and the calls, for a page that has the scripts already."""
    return _load_template("sections.html.j2").render(**_collect_values(figures, verification))


def render_live_page() -> str:
    """Returns the page of `toolgate ui`, without anything of the log."""
    return _load_template("ui.html.j2").render()


def _load_template(name: str) -> jinja2.Template:
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(ASSETS),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["milliseconds"] = lambda took: f"{took / 1000:.1f} ms"
    environment.filters["count"] = lambda number: f"{number:,}"
    return environment.get_template(name)


def _collect_values(figures: Figures, verification: Verification) -> dict[str, object]:
    width, steps = figures.timeline()
    return {
        "verdicts": VERDICTS,
        "total": figures.total,
        "unreadable": figures.unreadable,
        "sessions": len(figures.sessions),
        "latency": figures.latency(),
        "steps": [(_format_time(at), step, percentiles(step.microseconds)) for at, step in steps],
        "width": _name_width(width),
        "rules": _largest(figures.rules),
        "headlines": {rule: rules.read_headline(rule) for rule in figures.rules if rule in rules.TABLE},
        "tools": _largest(figures.tools),
        "stakes": _largest_stakes(figures),
        "policies": sorted(figures.policies.items(), key=lambda item: item[1].first, reverse=True)[:MOST_ROWS],
        "verification": verification,
        "faults": [(make_visible(fault.place), make_visible(fault.what)) for fault in verification.faults[:SHOWN_FAULTS]],
        "summary": _embed(
            {"verdicts": VERDICTS, "steps": list(_encode_steps(steps)), "sessions": list(_encode_sessions(figures))}
        ),
        "chunks": figures.chunks,
    }


def read_asset(name: str) -> str:
    with open(f"{ASSETS}/{name}", encoding="utf-8") as file:
        return file.read()


def _content_security_policy(scripts: list[str], styles: list[str]) -> str:
    def sources(texts: list[str]) -> str:
        return " ".join(f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'" for text in texts)

    return f"default-src 'none'; script-src {sources(scripts)}; style-src {sources(styles)}; base-uri 'none'; form-action 'none'"


def _embed(value: object) -> str:
    """Returns JSON that cannot close an element or open a comment, whatever its strings contain."""
    text = json.dumps(value, separators=(",", ":"))
    return text.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e")


def _encode_steps(steps: list[tuple[int, Step]]) -> Iterator[list[int | None]]:
    """Yields for each step the time, calls by verdict, and the 50th and 99th percentile of microseconds."""
    for at, step in steps:
        took = percentiles(step.microseconds)
        yield [at, *(step.verdicts[verdict] for verdict in VERDICTS), took.get(0.5), took.get(0.99)]


def _encode_sessions(figures: Figures) -> Iterator[list[object]]:
    """Yields the sessions, newest first: id, host, first and last time, calls, stops, near misses, places of the calls."""
    for session, tally in sorted(figures.sessions.items(), key=lambda item: item[1].last, reverse=True):
        places = [list(place) for place in figures.places[session]]
        yield [session, tally.host, tally.first, tally.last, tally.calls, tally.stops, tally.near, places]


def _largest(tallies: dict[str, Tally]) -> list[tuple[str, Tally]]:
    return sorted(tallies.items(), key=lambda item: (-item[1].calls, item[0]))[:MOST_ROWS]


def _largest_stakes(figures: Figures) -> list[tuple[tuple[str, str], Tally]]:
    """Returns the targets of stopped or nearly stopped calls, most stops first."""
    concerned = [(key, tally) for key, tally in figures.stakes.items() if tally.stops or tally.near]
    return sorted(concerned, key=lambda item: (-item[1].stops, -item[1].near, item[0]))[:MOST_ROWS]


def _format_time(seconds: int) -> str:
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d %H:%M")


def _name_width(seconds: int) -> str:
    for length, name in ((86400, "day"), (3600, "hour"), (60, "minute")):
        if seconds % length == 0:
            return f"1 {name}" if seconds == length else f"{seconds // length} {name}s"
    return f"{seconds} seconds"

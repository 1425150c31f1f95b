"""The parts of the hosts' pages and of the README that come from `hosts/<host>/capabilities.toml`."""

from collections.abc import Iterator, Mapping

from toolgate.hosts import HOSTS, load_host, load_settings
from toolgate.hosts.capabilities import Capabilities, load_capabilities

BEGIN, END = "<!-- capabilities: written by `make docs` -->", "<!-- end of capabilities -->"
HEADINGS = {
    "call": "A call, before it runs",
    "result": "Its result",
    "faults": "When the gate itself breaks",
    "reach": "Which calls reach the gate",
}
PROOF = {"client": "real client", "documents": "documentation only, not proven"}


def pages() -> dict[str, str]:
    """Returns the complete pages of hosts that have no page of observations."""
    return {f"hosts/{name}.md": page(name) for name in HOSTS if name not in OBSERVED}


OBSERVED = ("claude-code", "copilot")
"""Hosts whose pages `generate_host_page.py` writes from runs; the table of capabilities is put into them."""


def page(name: str) -> str:
    has = load_capabilities(name)
    activation = f"\n{has.activation}\n" if has.activation else ""
    if has.proof == "client":
        proof = "`toolgate doctor --live` proves on your machine\neach of the rows below."
    else:
        proof = "It is not proven in the real client,\nso `toolgate install --all` leaves it out."
    return f"""# {has.title}

{(load_host(name).__doc__ or "").strip()}

`toolgate install {name}` registers the gate for {", ".join(f"`{event}`" for event in load_host(name).EVENTS)}
({" or ".join(f"`--scope {scope}`" for scope in load_settings(name).SCOPES)}). {proof}
{activation}
{block(name)}
"""


def block(name: str) -> str:
    return "\n".join((BEGIN, "", *_lines(load_capabilities(name)), END))


def with_block(text: str, name: str) -> str:
    """Replaces the text between the marks."""
    before, _, rest = text.partition(BEGIN)
    after = rest.partition(END)[2]
    return f"{before}{block(name)}{after}"


def _lines(has: Capabilities) -> Iterator[str]:
    measured = "Measured in" if has.proof == "client" else "From the documentation of"
    yield "## What the client does with each answer"
    yield ""
    yield f"{measured} `{has.client}`{' ' if has.proof == 'client' else ', '}{has.version}."
    yield ""
    for section, heading in HEADINGS.items():
        yield from _table(heading, has.sections[section])
        yield ""
    yield "### Limits of the gate in this client"
    yield ""
    yield from (f"- {gap}" for gap in has.gaps)
    yield ""


def _table(heading: str, rows: Mapping[str, str]) -> Iterator[str]:
    yield f"| {heading} | |"
    yield "|---|---|"
    yield from (f"| {key} | {value} |" for key, value in rows.items())


def overview() -> str:
    """Returns the table of hosts in the README."""
    lines = [
        "| host | shown by | asks | rewrites | redacts | the gate crashes | the gate hangs | subagents | MCP |",
        "|" + "---|" * 9,
    ]
    for name in HOSTS:
        has = load_capabilities(name)
        faults, reach = has.sections["faults"], has.sections["reach"]
        cells = (
            f"[{has.title}](docs/hosts/{name}.md)",
            f"{PROOF[has.proof]}{f' {has.version}' if has.proof == 'client' else ''}",
            "yes" if not has.no_question else "denied, with a request",
            "yes" if has.can_rewrite else "no",
            has.sections["result"]["redact"],
            faults["crash"],
            faults["hang"],
            reach["subagents"],
            reach["MCP"],
        )
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join((BEGIN, "", *lines, "", END))

"""`toolgate ui`: serves the report on this machine, live."""

import secrets
import socket
import time
from collections.abc import Mapping

import click

from toolgate.audit.fields import make_visible
from toolgate.model.errors import ToolgateError, UnavailableError
from toolgate.sessions.approval_answers import iter_requests

from .person import refuse_beneath_agent
from .surroundings import Surroundings, open_user_store, read_surroundings
from .tier import find_audit_folder

HOST = "127.0.0.1"
TOKEN_BYTES = 32
END_SECONDS = 1  # seconds that open connections get when the server ends


@click.command(epilog="\b\nExamples:\n  toolgate ui\n  toolgate ui --port 8421")
@click.option("--port", type=click.IntRange(0, 65535), default=0, help="The port on 127.0.0.1; default: any free one.")
def ui(port: int) -> None:
    """Serve the report to your browser, with calls as they come, until it is interrupted.

    Prints an address on this machine with a token; only someone who has the whole address can read the page. The page changes
    nothing: it shows each pending request with the command that answers it on a terminal of your own.
    """
    surroundings = read_surroundings()
    refuse_beneath_agent(surroundings, "serve the records of other sessions")
    try:
        import uvicorn

        from toolgate.report.live import Sources, build_server
    except ImportError as problem:
        raise UnavailableError(f"the page needs {problem.name}: pip install 'toolgate[ui]'") from None
    sources = Sources(find_audit_folder(surroundings), lambda: list_pending_requests(surroundings))
    try:
        listening = socket.create_server((HOST, port))
    except OSError as problem:
        raise ToolgateError(f"port {port} cannot be used: {problem.strerror or problem}") from None
    address, token = f"{HOST}:{listening.getsockname()[1]}", secrets.token_urlsafe(TOKEN_BYTES)
    click.echo(f"http://{address}/#{token}")
    click.echo("Open this address in your browser. Ctrl-C ends it.", err=True)
    config = uvicorn.Config(
        build_server(sources, token, address),
        log_level="error",
        access_log=False,
        lifespan="off",
        ws="none",
        proxy_headers=False,
        server_header=False,
        timeout_graceful_shutdown=END_SECONDS,
    )
    uvicorn.Server(config).run(sockets=[listening])


def list_pending_requests(surroundings: Surroundings) -> list[Mapping[str, str]]:
    """Returns the requests that wait for an answer, safe to display, with the command that answers each."""
    now = time.time()
    return [
        {
            "id": each.request.id,
            "tool": make_visible(each.request.tool),
            "shown": make_visible(each.request.shown),
            "cwd": make_visible(each.request.cwd),
            "reason": make_visible(each.request.reason),
            "who": make_visible(", ".join(filter(None, (each.request.host, each.request.session, each.request.agent)))),
            "command": f"toolgate approve {each.request.id}",
        }
        for each in iter_requests(open_user_store(surroundings), now)
        if each.state == "pending"
    ]

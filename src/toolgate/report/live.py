"""The report as a page on this machine that follows the log: `toolgate ui`.

The page itself holds nothing of the log. Everything else needs the token, which is in the fragment of the page's address and
comes back as a header. It keeps other accounts and other pages out, not code of the same account: nothing is served that such
code could not read without it. Nothing can be changed: there are only requests that read.
"""

import asyncio
import hmac
import json
from collections.abc import AsyncIterator, Callable, Mapping
from typing import NamedTuple

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, Response, StreamingResponse
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from toolgate.audit.chain import HEAD_FILE
from toolgate.audit.segments import follow_lines
from toolgate.audit.summary import iter_lines, read_records
from toolgate.audit.verification import verify_log

from .details import encode_call
from .figures import collect_figures
from .page import read_asset, render_live_page, render_sections

POLL_SECONDS = 0.5  # seconds
ASSETS = {
    "uPlot.iife.min.js": "text/javascript",
    "report.js": "text/javascript",
    "ui.js": "text/javascript",
    "uPlot.min.css": "text/css",
    "report.css": "text/css",
}
HEADERS = {
    "content-security-policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src data:; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "cache-control": "no-store",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
}
WITHOUT_TOKEN = "The address is not complete: use the whole address that toolgate ui printed."


class Sources(NamedTuple):
    """Where the page reads: the folder of the log, and the requests that wait for an answer."""

    folder: str
    list_requests: Callable[[], list[Mapping[str, str]]]


def build_server(sources: Sources, token: str, address: str) -> ASGIApp:
    """Returns the application that answers at `address` (127.0.0.1:8421), to whoever has the token."""
    pages = _Pages(sources)
    routes = [
        Route("/", pages.show_page),
        Route("/report", _demand_token(pages.show_report, token)),
        Route("/events", _demand_token(pages.send_events, token)),
        *(Route(f"/{name}", _serve_asset(name, media)) for name, media in ASSETS.items()),
    ]
    return _Guard(Starlette(routes=routes), address)


class _Guard:
    """Answers only requests that read, that were sent to this very address, and from its own page. Adds the headers."""

    def __init__(self, inner: ASGIApp, address: str) -> None:
        self._inner, self._address = inner, address.encode()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                added = [(name.encode(), value.encode()) for name, value in HEADERS.items()]
                message = {**message, "headers": [*message["headers"], *added]}
            await send(message)

        await (self._refuse(scope) or self._inner)(scope, receive, send_with_headers)

    def _refuse(self, scope: Scope) -> Response | None:
        hosts = [value for name, value in scope["headers"] if name == b"host"]
        origins = {value for name, value in scope["headers"] if name == b"origin"}
        if scope["method"] not in ("GET", "HEAD"):
            return PlainTextResponse("This page only reads.", 405)
        if hosts != [self._address]:
            return PlainTextResponse("This is not the address that toolgate ui printed.", 421)
        if origins - {b"http://" + self._address}:
            return PlainTextResponse("Other pages may not read this one.", 403)
        return None


def _demand_token(answer: Callable[[Request], object], token: str) -> Callable[..., object]:
    expected = f"Bearer {token}".encode()

    async def check(request: Request) -> Response:
        if not hmac.compare_digest(request.headers.get("authorization", "").encode(), expected):
            return PlainTextResponse(WITHOUT_TOKEN, 403)
        found = await run_in_threadpool(answer, request)
        assert isinstance(found, Response)
        return found

    return check


def _serve_asset(name: str, media: str) -> Callable[[Request], Response]:
    text = read_asset(name)
    return lambda _request: Response(text, media_type=media)


class _Pages:
    def __init__(self, sources: Sources) -> None:
        self._sources = sources
        self._rendered: tuple[bytes, str] = (b"", "")

    def show_page(self, _request: Request) -> Response:
        return HTMLResponse(render_live_page())

    def show_report(self, _request: Request) -> Response:
        """Renders the figures again only if the log has grown."""
        folder = self._sources.folder
        try:
            head = _read_head(folder)
            if not head or head != self._rendered[0]:
                sections = render_sections(collect_figures(iter_lines(folder)), verify_log(folder))
                self._rendered = head, sections
        except OSError as problem:
            return PlainTextResponse(f"The audit log cannot be read: {problem.strerror or problem}", 500)
        return HTMLResponse(self._rendered[1])

    def send_events(self, request: Request) -> Response:
        return StreamingResponse(self._iter_events(request), media_type="text/event-stream")

    async def _iter_events(self, request: Request) -> AsyncIterator[str]:
        """Yields new calls and changed requests; a comment where there are none, so that a closed connection is noticed."""
        new = await run_in_threadpool(follow_lines, self._sources.folder)
        before = None
        while not await request.is_disconnected():
            event: dict[str, object] = {}
            lines = await run_in_threadpool(next, new)
            if calls := [json.loads(encode_call(line)) for line in read_records(lines) if line]:
                event["calls"] = calls
            requests = await run_in_threadpool(self._sources.list_requests)
            if requests != before:
                event["requests"] = before = requests
            yield f"data: {json.dumps(event)}\n\n" if event else ":\n\n"
            await asyncio.sleep(POLL_SECONDS)


def _read_head(folder: str) -> bytes:
    try:
        with open(f"{folder}/{HEAD_FILE}", "rb") as file:
            return file.read()
    except FileNotFoundError:
        return b""

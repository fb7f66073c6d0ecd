"""The HTTP server of `tenuto up`, and a one-time login link for the user who started it."""

import asyncio
import logging
import socket
import webbrowser
from collections.abc import AsyncGenerator, Generator
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING
from uuid import UUID

from tenuto.cli.audited import ROLE, AuditedTransaction
from tenuto.cli.exit_codes import UsageError, WorkFailed
from tenuto.cli.pepper import peppers_if_any
from tenuto.cli.processes.http_listener import address, bind, uvicorn_config
from tenuto.cli.processes.serve import ProcessContext
from tenuto.model.os_user import os_user
from tenuto.runtimes.background import BackgroundTasks

if TYPE_CHECKING:
    from tenuto.server.settings import ServerSettings

HOST, PORT = "127.0.0.1", 8080
GRACE = 2  # seconds at shutdown; short, because Ctrl-C stops everything
LINK_LASTS = timedelta(hours=1)
LOCAL = "urn:tenuto:local"  # issuer of users who log in by link, such as the user who runs `tenuto up`

log = logging.getLogger("tenuto.up")


@dataclass(frozen=True)
class LocalServer:
    """The settings of the server and its open socket."""

    settings: "ServerSettings"
    listener: socket.socket


def find_front(context: ProcessContext, port: int | None) -> LocalServer | None:
    """Returns the settings and the open socket of the server. Returns None if there is no pepper, which is needed to
    check keys, or if the login would see every org. The default port is 8080, or a free port if 8080 is taken."""
    from tenuto.db.connection.error_messages import explained
    from tenuto.db.connection.errors import MissingRight
    from tenuto.db.connection.process_role import check_bound, choose_role
    from tenuto.server.settings import ServerSettings

    peppers = peppers_if_any(context.settings)
    if peppers is None:
        log.info("server: none, because TENUTO_PEPPER is not set")
        return None
    with explained():
        role = choose_role(context.url, "tenuto_api")
        try:
            check_bound(context.url, role)
        except MissingRight as problem:
            log.warning("server: none, because %s", problem)
            return None
    settings = ServerSettings(
        context.url,
        role,
        peppers,
        storage=context.settings.storage,
        weak_queries=context.settings.weak_queries,
        installation=context.settings.installation,
    )
    return LocalServer(settings, listen(port))


def listen(port: int | None) -> socket.socket:
    """Return an open socket on this port; without one, on 8080 or, if that is taken, a free port."""
    if port is not None:
        return bind(HOST, port)
    try:
        return bind(HOST, PORT)
    except UsageError:
        listener = bind(HOST, 0)
        log.warning("port %d is taken: using port %d instead (--port sets one)", PORT, listener.getsockname()[1])
        return listener


@asynccontextmanager
async def serve_http(front: LocalServer | None, parts: BackgroundTasks) -> AsyncGenerator[asyncio.Event]:
    """Run the server during the block; the event is set once it accepts requests."""
    ready = asyncio.Event()
    if front is None:
        ready.set()
        yield ready
        return
    from uvicorn import Server

    class EmbeddedServer(Server):
        @contextmanager
        def capture_signals(self) -> Generator[None]:
            """Do nothing: `tenuto up` handles the signals."""
            yield

        async def startup(self, sockets: list[socket.socket] | None = None) -> None:
            await super().startup(sockets)
            ready.set()

    server = EmbeddedServer(uvicorn_config(front.settings, grace=GRACE))
    leaving = False

    async def serve() -> None:
        with suppress(SystemExit):  # uvicorn exits if it cannot start; `tenuto up` must still stop the rest in order
            await server.serve([front.listener])
        if not leaving:
            raise WorkFailed("it ended unexpectedly; its last log lines show why")

    serving = parts.start("HTTP server", serve())
    try:
        yield ready
    finally:
        leaving = server.should_exit = True
        await asyncio.wait({serving})


async def make_link(context: ProcessContext, front: LocalServer) -> str:
    """Create a one-time login link for an admin."""
    from tenuto.db.connection.pool import open_pool
    from tenuto.model.keys import make_token

    token = make_token()
    async with (
        open_pool(context.url, role=context.dispatcher_role, size=1) as pool,
        pool.connection() as conn,
        conn.transaction(),
    ):
        await _store_login_link(AuditedTransaction(conn, UUID(context.org_id), os_user()), context.settings.org, token)
    return f"{address(front.listener)}/auth/link?token={token}"


async def _store_login_link(transaction: AuditedTransaction, org: str, token: str) -> None:
    from tenuto.cli.commands.users import link_for
    from tenuto.db import identity

    await link_for(
        transaction,
        await identity.put_user(
            transaction.conn,
            org_id=transaction.org_id,
            issuer=LOCAL,
            subject=f"admin of {org}",
            name=transaction.actor,
            platform_role="admin",
        ),
        token,
        LINK_LASTS,
    )


def log_server(front: LocalServer | None, link: str | None) -> None:
    if front is None:
        return
    log.info("server: %s, dashboard at /ui/, API reference at /docs", address(front.listener))
    if link is None:
        log.info("no login link: this database login cannot act as %s", ROLE)
    else:
        log.info("login link for an admin, valid once: %s", link)


def open_link(link: str) -> None:
    """Open the link in the user's browser. If no browser opens, the user can still follow the link that was logged."""
    if not webbrowser.open(link):
        log.warning("no browser could be opened; follow the login link")

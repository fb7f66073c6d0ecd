"""The server that `tenuto up` runs beside the rest, and a link that lets whoever started it in."""

import asyncio
import logging
import socket
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING
from uuid import UUID

from tenuto.cli.audited import ROLE, AuditedTransaction, operator
from tenuto.cli.exit_codes import UsageError, WorkFailed
from tenuto.cli.pepper import peppers_if_any
from tenuto.cli.processes.http_listener import address, bind, uvicorn_config
from tenuto.cli.processes.serve import ProcessContext
from tenuto.runtimes.background import BackgroundTasks

if TYPE_CHECKING:
    from tenuto.server.settings import ServerSettings

HOST, PORT = "127.0.0.1", 8080
GRACE = 2  # seconds: Ctrl-C ends everything here
LINK_LASTS = timedelta(hours=1)
LOCAL = "urn:tenuto:local"  # who vouches for people of a link: whoever could start this

log = logging.getLogger("tenuto.up")


@dataclass(frozen=True)
class LocalServer:
    """What answers, and where."""

    settings: "ServerSettings"
    listener: socket.socket


def find_front(place: ProcessContext, port: int | None) -> LocalServer | None:
    """None where it cannot check keys, or would see every org. A port that is not named is 8080, or a free one."""
    from tenuto.db.connection.error_messages import explained
    from tenuto.db.connection.errors import MissingRight
    from tenuto.db.connection.process_role import check_bound, choose_role
    from tenuto.server.settings import ServerSettings

    peppers = peppers_if_any(place.settings)
    if peppers is None:
        log.info("server: none, since TENUTO_PEPPER is not set")
        return None
    with explained():
        role = choose_role(place.url, "tenuto_api")
        try:
            check_bound(place.url, role)
        except MissingRight as problem:
            log.warning("server: none, since %s", problem)
            return None
    settings = ServerSettings(place.url, role, peppers, objects=place.settings.home / "objects")
    return LocalServer(settings, _listen(port))


def _listen(port: int | None) -> socket.socket:
    if port is not None:
        return bind(HOST, port)
    try:
        return bind(HOST, PORT)
    except UsageError:
        return bind(HOST, 0)


@asynccontextmanager
async def answering(front: LocalServer | None, parts: BackgroundTasks) -> AsyncIterator[asyncio.Event]:
    """The server, for as long as this lasts; the event is set once it answers."""
    answers = asyncio.Event()
    if front is None:
        answers.set()
        yield answers
        return
    from uvicorn import Server

    class Beside(Server):
        @contextmanager
        def capture_signals(self) -> Iterator[None]:
            """They are for whoever runs everything here."""
            yield

        async def startup(self, sockets: list[socket.socket] | None = None) -> None:
            await super().startup(sockets)
            answers.set()

    server = Beside(uvicorn_config(front.settings, grace=GRACE))
    leaving = False

    async def answer() -> None:
        with suppress(SystemExit):  # of uvicorn when it cannot start; everything here must end, but in order
            await server.serve([front.listener])
        if not leaving:
            raise WorkFailed("it ended by itself, and logged why")

    serving = parts.start("HTTP server", answer())
    try:
        yield answers
    finally:
        leaving = server.should_exit = True
        await asyncio.wait({serving})


async def make_link(place: ProcessContext, front: LocalServer) -> str:
    """A link by which an admin comes in, once."""
    from tenuto.db.connection.pool import open_pool
    from tenuto.model.keys import make_token

    token = make_token()
    async with (
        open_pool(place.url, role=place.dispatcher_role, size=1) as pool,
        pool.connection() as conn,
        conn.transaction(),
    ):
        await _let_in(AuditedTransaction(conn, UUID(place.org_id), operator()), place.settings.org, token)
    return f"{address(front.listener)}/auth/link?token={token}"


async def _let_in(deed: AuditedTransaction, org: str, token: str) -> None:
    from tenuto.cli.commands.users import link_for
    from tenuto.db import identity

    who = {"issuer": LOCAL, "subject": f"admin of {org}", "name": deed.actor, "platform_role": "admin"}
    await link_for(deed, await deed.do(identity.put_user, **who), token, LINK_LASTS)


def say_front(front: LocalServer | None, link: str | None) -> None:
    if front is None:
        return
    log.info("server: %s, described at /openapi.json", address(front.listener))
    if link is None:
        log.info("no link to log in, since this login may not act as %s", ROLE)
    else:
        log.info("log in once, as an admin: %s", link)

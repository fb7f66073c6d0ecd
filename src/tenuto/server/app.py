"""The HTTP API as one ASGI application. Nothing that matters is kept in its process, so any number may run."""

import asyncio
import logging
import resource
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib.metadata import version
from typing import Any

import httpx2
from fastapi import FastAPI
from starlette.middleware.cors import CORSMiddleware

from tenuto.db.connection.pool import Pool, open_pool
from tenuto.db.install.schema_check import wait_for_other_functions
from tenuto.server.application import Application
from tenuto.server.auth.imported_keys import Checker
from tenuto.server.auth.oidc_issuer import TIMEOUT, Issuer
from tenuto.server.http.compression import Packing
from tenuto.server.http.middleware import Envelope
from tenuto.server.http.openapi import describe
from tenuto.server.http.problems import add_problems
from tenuto.server.http.request_log import Journal
from tenuto.server.http.routing import Routes, add_routes
from tenuto.server.http.shutdown import told_to_stop
from tenuto.server.limits.address_limiter import Brake
from tenuto.server.limits.body_memory import Loads, Turns
from tenuto.server.limits.connection_limit import Connections
from tenuto.server.limits.long_poll import MAX_WAITS, MAX_WORKER_WAITS, Seats
from tenuto.server.limits.prepaid_tokens import Allowances
from tenuto.server.limits.request_limit import Room
from tenuto.server.routes import TABLES
from tenuto.server.settings import ServerSettings
from tenuto.server.starts.batcher import Starter
from tenuto.server.wakeups import Wakes

log = logging.getLogger("tenuto.server")


def create_app(settings: ServerSettings, *, tables: list[Routes] = TABLES) -> FastAPI:
    """The application; a route that declares no permission keeps it from being made."""
    app = Application(
        title="Tenuto",
        version=version("tenuto"),
        lifespan=_lifespan,
        openapi_url=None,
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
    )
    app.state.settings = settings
    app.state.allowances = Allowances(settings.key_limit, settings.org_limit)
    app.state.brake, app.state.journal = Brake(settings.stranger_limit), Journal()
    app.state.room, app.state.refuses = Room(), None
    app.state.seats = Seats(settings.org_waits, MAX_WAITS)
    app.state.worker_seats = Seats(settings.worker_waits, MAX_WORKER_WAITS)
    app.state.loads = Loads(settings.org_bytes)
    app.state.turns = Turns(settings.org_values, seconds=settings.bulk_seconds)
    add_problems(app)
    add_routes(app, tables)
    app.openapi = lambda: describe(app)
    app.add_middleware(Packing)
    if settings.cors_origins:
        app.add_middleware(
            CORSMiddleware,
            allow_origins=settings.cors_origins,
            allow_methods=["GET", "POST", "PUT", "PATCH", "DELETE"],
            allow_headers=["Authorization", "Content-Type", "Idempotency-Key", "X-Request-Id", "X-Tenuto-Org"],
            expose_headers=["X-Request-Id", "Retry-After"],
        )
    app.add_middleware(Envelope)
    return app


@asynccontextmanager
async def _lifespan(app: FastAPI) -> AsyncIterator[dict[str, Any]]:
    settings: ServerSettings = app.state.settings
    size, longest = settings.connections, settings.bulk_seconds
    async with (
        open_pool(settings.database_url, role=settings.role, size=size, longest=longest, bound=True) as pool,
        httpx2.AsyncClient(timeout=TIMEOUT) as http,
    ):
        app.state.pool, app.state.wakes = pool, Wakes(settings.database_url)
        app.state.checker, app.state.starter = Checker(), Starter(pool, settings.statement_seconds)
        app.state.issuer = Issuer(settings.oidc, http) if settings.oidc else None
        app.state.stopping, app.state.look = asyncio.Event(), None
        checking = asyncio.create_task(_check_schema(app, pool))
        with told_to_stop(app.state.stopping):
            yield {"connections": _connections(settings)}
        checking.cancel()
        await app.state.starter.close()
        await app.state.wakes.close()
        if app.state.issuer is not None:
            await app.state.issuer.close()


async def _check_schema(app: FastAPI, pool: Pool) -> None:
    """Refuse all requests once the database has functions of another Tenuto: calling them would fail in odd ways."""
    problem = await wait_for_other_functions(pool)
    app.state.refuses = "another version of Tenuto has changed this server's database; the server must be restarted"
    log.critical("%s; every request is answered 503 until then", problem)


def _connections(settings: ServerSettings) -> Connections:
    """As many as were set, or as open files allow: what is refused needs one too, and so does everything else."""
    files = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    total = settings.max_connections if files < 0 else min(settings.max_connections, max(50, files - 200))
    return Connections(total, min(total, settings.max_connections_per_address), settings.trusted_proxies)

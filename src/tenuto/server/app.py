"""The HTTP API as an ASGI application. It keeps no durable state, so any number of processes may run."""

import asyncio
import logging
import resource
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib.metadata import version
from typing import Any

from fastapi import FastAPI
from starlette.middleware.cors import CORSMiddleware
from starlette.types import ASGIApp

from tenuto.db.connection.pool import ConnectionPool, open_pool
from tenuto.db.install.schema_check import wait_for_other_functions
from tenuto.server.auth.imported_keys import BcryptChecker
from tenuto.server.auth.oidc_issuer import Issuer
from tenuto.server.http.compression import Compression
from tenuto.server.http.middleware import RequestMiddleware
from tenuto.server.http.openapi import describe
from tenuto.server.http.problems import ErrorHandler, add_problems
from tenuto.server.http.request_log import RequestLog
from tenuto.server.http.routing import RouteTable, add_routes
from tenuto.server.http.shutdown import signal_shutdown
from tenuto.server.limits.address_limiter import AddressLimiter
from tenuto.server.limits.body_memory import BodyMemoryLimit, Turns
from tenuto.server.limits.connection_limit import ConnectionLimit
from tenuto.server.limits.long_poll import MAX_WAITS, MAX_WORKER_WAITS, WaiterLimit
from tenuto.server.limits.prepaid_tokens import PrepaidTokens
from tenuto.server.limits.request_limit import RequestLimit
from tenuto.server.routes import TABLES
from tenuto.server.settings import ServerSettings
from tenuto.server.starts.batcher import StartBatcher
from tenuto.server.wakeups import WakeupHub

log = logging.getLogger("tenuto.server")


class TenutoApp(FastAPI):
    """FastAPI without its own four middleware layers: they handle errors that ErrorHandler handles, and close resources
    that no endpoint opens. They take longer than the work of most requests (bench/http.py)."""

    def build_middleware_stack(self) -> ASGIApp:
        app: ASGIApp = ErrorHandler(self.router, self.exception_handlers)
        for kind, args, options in reversed(self.user_middleware):
            app = kind(app, *args, **options)
        return app


def create_app(settings: ServerSettings, *, tables: list[RouteTable] = TABLES) -> FastAPI:
    """Returns the application; raises UndeclaredRoute if a route declares no permission."""
    app = TenutoApp(
        title="Tenuto",
        version=version("tenuto"),
        lifespan=_lifespan,
        openapi_url=None,
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
    )
    app.state.settings = settings
    app.state.allowances = PrepaidTokens(settings.key_limit, settings.org_limit)
    app.state.brake, app.state.journal = AddressLimiter(settings.stranger_limit), RequestLog()
    app.state.room, app.state.refuses = RequestLimit(), None
    app.state.seats = WaiterLimit(settings.org_waits, MAX_WAITS)
    app.state.worker_seats = WaiterLimit(settings.worker_waits, MAX_WORKER_WAITS)
    app.state.loads = BodyMemoryLimit(settings.org_bytes)
    app.state.turns = Turns(settings.org_values, seconds=settings.bulk_seconds)
    add_problems(app)
    add_routes(app, tables)
    app.openapi = lambda: describe(app)
    app.add_middleware(Compression)
    if settings.cors_origins:
        app.add_middleware(
            CORSMiddleware,
            allow_origins=settings.cors_origins,
            allow_methods=["GET", "POST", "PUT", "PATCH", "DELETE"],
            allow_headers=["Authorization", "Content-Type", "Idempotency-Key", "X-Request-Id", "X-Tenuto-Org"],
            expose_headers=["X-Request-Id", "Retry-After"],
        )
    app.add_middleware(RequestMiddleware)
    return app


@asynccontextmanager
async def _lifespan(app: FastAPI) -> AsyncIterator[dict[str, Any]]:
    settings: ServerSettings = app.state.settings
    size, longest = settings.connections, settings.bulk_seconds
    async with open_pool(settings.database_url, role=settings.role, size=size, longest=longest, bound=True) as pool:
        app.state.pool, app.state.wakes = pool, WakeupHub(settings.database_url)
        app.state.checker, app.state.starter = BcryptChecker(), StartBatcher(pool, settings.statement_seconds)
        app.state.issuer = Issuer(settings.oidc) if settings.oidc else None
        app.state.stopping, app.state.look = asyncio.Event(), None
        checking = asyncio.create_task(_check_schema(app, pool))
        with signal_shutdown(app.state.stopping):
            yield {"connections": _connections(settings)}
        checking.cancel()
        await app.state.starter.close()
        await app.state.wakes.close()
        if app.state.issuer is not None:
            await app.state.issuer.close()


async def _check_schema(app: FastAPI, pool: ConnectionPool) -> None:
    """Refuse all requests once another version of Tenuto has replaced the SQL functions: calling them would fail in odd
    ways."""
    problem = await wait_for_other_functions(pool)
    app.state.refuses = "another version of Tenuto has changed this server's database; the server must be restarted"
    log.critical("%s; every request is answered 503 until then", problem)


def _connections(settings: ServerSettings) -> ConnectionLimit:
    """Builds the connection limit from the settings and the limit on open files. Keeps 200 files for refused
    connections and everything else."""
    files = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    total = settings.max_connections if files < 0 else min(settings.max_connections, max(50, files - 200))
    return ConnectionLimit(total, min(total, settings.max_connections_per_address), settings.trusted_proxies)

"""The HTTP API as an ASGI application. It keeps no durable state, so any number of processes may run."""

import asyncio
import logging
import resource
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from functools import cached_property
from importlib.metadata import version
from typing import Any

from starlette.middleware.cors import CORSMiddleware
from starlette.routing import Router as Lifespan
from starlette.types import ASGIApp

from tenuto.db.connection.pool import ConnectionPool, open_pool
from tenuto.db.install.schema_check import wait_for_other_functions
from tenuto.query.pool import ProcessPool, hidden_folders
from tenuto.query.service import QueryService
from tenuto.server.auth.imported_keys import BcryptChecker
from tenuto.server.auth.oidc_issuer import Issuer
from tenuto.server.http.middleware import Compression, RequestLimit, RequestMiddleware
from tenuto.server.http.request_log import RequestLog
from tenuto.server.http.route_table import RouteTable
from tenuto.server.http.routing import Router
from tenuto.server.http.shutdown import signal_shutdown
from tenuto.server.limits.body_memory import BodyMemoryLimit, Turns
from tenuto.server.limits.connection_limit import ConnectionLimit
from tenuto.server.limits.long_poll import MAX_WAITS, MAX_WORKER_WAITS, WaiterLimit
from tenuto.server.limits.org_threads import OrgThreads
from tenuto.server.limits.rate_limits import AddressLimiter, PrepaidTokens
from tenuto.server.routes import TABLES
from tenuto.server.routes.health import ReadinessCheck
from tenuto.server.settings import ServerSettings
from tenuto.server.starts.batcher import StartBatcher
from tenuto.server.starts.input_check import InputChecks
from tenuto.server.state import ServerState
from tenuto.server.wakeups import WakeupHub
from tenuto.storage import open_store

log = logging.getLogger("tenuto.server")


class TenutoApp(RequestMiddleware):
    """The ASGI application: the routes, wrapped in their middleware. `state` exists while `lifespan` is open."""

    title = "Tenuto"

    def __init__(self, settings: ServerSettings, tables: Sequence[RouteTable]) -> None:
        self.version = version("tenuto")
        self._settings = settings
        self.router = Router([spec for table in tables for spec in table.specs])
        super().__init__(_middleware(self.router, settings), Lifespan(lifespan=lambda _: self.lifespan()))

    def openapi(self) -> dict[str, Any]:
        """Return the OpenAPI document."""
        return self._document

    @cached_property
    def _document(self) -> dict[str, Any]:
        from tenuto.server.http.openapi import describe  # imports FastAPI, which nothing else needs

        return describe(self.title, self.version, self.router.routes)

    @asynccontextmanager
    async def lifespan(self) -> AsyncGenerator[dict[str, Any]]:
        """Opens what all requests share, and closes it at shutdown. Yields the connection limit, which all connections
        share."""
        settings = self._settings
        async with open_pool(
            settings.database_url,
            role=settings.role,
            size=settings.connections,
            longest=settings.bulk_seconds,
            bound=True,
        ) as pool:
            state = self.state = _new_state(settings, pool)
            checking = asyncio.create_task(_check_schema(state))
            with signal_shutdown(state.stopping):
                yield {"connections": _connections(settings)}
            checking.cancel()
            await state.start_batcher.close()
            await state.wakeups.close()
            await state.query_service.close()
            state.org_threads.close()
            if state.issuer is not None:
                await state.issuer.close()


def create_app(settings: ServerSettings, *, tables: Sequence[RouteTable] = TABLES) -> TenutoApp:
    """Returns the application; raises UndeclaredRoute if a route declares no permission."""
    return TenutoApp(settings, tables)


def _middleware(app: ASGIApp, settings: ServerSettings) -> ASGIApp:
    app = Compression(app)
    if settings.cors_origins:
        app = CORSMiddleware(
            app,
            allow_origins=settings.cors_origins,
            allow_methods=["GET", "POST", "PUT", "PATCH", "DELETE"],
            allow_headers=["Authorization", "Content-Type", "Idempotency-Key", "X-Request-Id", "X-Tenuto-Org"],
            expose_headers=["X-Request-Id", "Retry-After"],
        )
    return app


def _new_state(settings: ServerSettings, pool: ConnectionPool) -> ServerState:
    store = open_store(settings.storage)
    return ServerState(
        settings=settings,
        pool=pool,
        store=store,
        issuer=Issuer(settings.oidc) if settings.oidc else None,
        bcrypt_checker=BcryptChecker(),
        prepaid_tokens=PrepaidTokens(settings.key_limit, settings.org_limit),
        address_limiter=AddressLimiter(settings.unauthenticated_limit),
        request_limit=RequestLimit(),
        request_log=RequestLog(),
        body_memory=BodyMemoryLimit(settings.org_bytes),
        body_turns=Turns(settings.org_values, seconds=settings.bulk_seconds),
        org_threads=OrgThreads(),
        waiters=WaiterLimit(settings.org_waits, MAX_WAITS),
        worker_waiters=WaiterLimit(settings.worker_waits, MAX_WORKER_WAITS),
        query_waiters=WaiterLimit(settings.org_queries, 4 * settings.org_queries),
        query_service=QueryService(
            ProcessPool(weak=settings.weak_queries, running=settings.queries, hidden=hidden_folders(settings.storage)),
            store,
        ),
        start_batcher=StartBatcher(pool, settings.statement_seconds),
        input_checks=InputChecks(),
        wakeups=WakeupHub(settings.database_url),
        readiness=ReadinessCheck(pool),
        stopping=asyncio.Event(),
        schema_changed=asyncio.Event(),
    )


async def _check_schema(state: ServerState) -> None:
    """Waits until another version of Tenuto has replaced the SQL functions. From then on the server refuses all
    requests except /healthz, because calls of changed functions could fail in misleading ways."""
    problem = await wait_for_other_functions(state.pool)
    state.schema_changed.set()
    log.critical("%s; every request gets 503 until then", problem)


def _connections(settings: ServerSettings) -> ConnectionLimit:
    """Builds the connection limit from the settings and the limit on open files. Reserves 200 files for refused
    connections and for all other uses."""
    files = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    total = settings.max_connections if files < 0 else min(settings.max_connections, max(50, files - 200))
    return ConnectionLimit(total, min(total, settings.max_connections_per_address), settings.trusted_proxies)

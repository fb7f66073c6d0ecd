"""The HTTP API as one ASGI application. Nothing that matters is kept in its process, so any number may run."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib.metadata import version
from typing import Any

import httpx2
from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi
from starlette.middleware.cors import CORSMiddleware
from starlette.middleware.gzip import GZipMiddleware

from tenuto.db.pool import open_pool
from tenuto.server.imported import Checker
from tenuto.server.issuer import TIMEOUT, Issuer
from tenuto.server.middleware import Envelope
from tenuto.server.problems import add_problems
from tenuto.server.routes import TABLES
from tenuto.server.routing import Routes, add_routes
from tenuto.server.settings import ServerSettings
from tenuto.server.stopping import told_to_stop
from tenuto.server.wakes import Wakes

SCHEMES = {
    "api_key": "An API key (tn_…), or a token of the OIDC issuer that people log in with",
    "worker_key": "A worker key: tnw_…",
    "task_token": "The token of a running attempt, as its worker got it: a JWT",
}


def create_app(settings: ServerSettings, *, tables: list[Routes] = TABLES) -> FastAPI:
    """The application; a route that declares no permission keeps it from being made."""
    app = FastAPI(
        title="Tenuto",
        version=version("tenuto"),
        lifespan=_lifespan,
        openapi_url=None,
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
    )
    app.state.settings = settings
    add_problems(app)
    add_routes(app, tables)
    app.openapi = lambda: _openapi(app)
    app.add_middleware(GZipMiddleware, minimum_size=1024)
    if settings.cors_origins:
        app.add_middleware(
            CORSMiddleware,
            allow_origins=settings.cors_origins,
            allow_methods=["GET", "POST", "PUT", "PATCH", "DELETE"],
            allow_headers=["Authorization", "Content-Type", "Idempotency-Key", "X-Request-Id"],
            expose_headers=["X-Request-Id", "Retry-After"],
        )
    app.add_middleware(Envelope)
    return app


@asynccontextmanager
async def _lifespan(app: FastAPI) -> AsyncIterator[None]:
    settings: ServerSettings = app.state.settings
    async with (
        open_pool(settings.database_url, role=settings.role, size=settings.connections) as pool,
        httpx2.AsyncClient(timeout=TIMEOUT) as http,
    ):
        app.state.pool, app.state.wakes = pool, Wakes(settings.database_url)
        app.state.checker = Checker()
        app.state.issuer = Issuer(settings.oidc, http) if settings.oidc else None
        app.state.stopping = asyncio.Event()
        with told_to_stop(app.state.stopping):
            yield
        await app.state.wakes.close()


def _openapi(app: FastAPI) -> dict[str, Any]:
    if app.openapi_schema is None:
        schema = get_openapi(title=app.title, version=app.version, openapi_version="3.1.0", routes=app.routes)
        schema.setdefault("components", {})["securitySchemes"] = {
            name: {"type": "http", "scheme": "bearer", "description": text} for name, text in SCHEMES.items()
        }
        app.openapi_schema = schema
    return app.openapi_schema

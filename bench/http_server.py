"""The two servers that bench/http.py compares, each in its own process: `python -m bench.http_server ours|bare FD
URL`."""

import socket
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import uvicorn
from fastapi import FastAPI

from tenuto.cli.processes.http_listener import uvicorn_config
from tenuto.db.connection.pool import open_pool
from tenuto.model.keys import Peppers
from tenuto.server.limits.connection_limit import ConnectionLimit
from tenuto.server.settings import RateLimit, ServerSettings

PEPPERS = Peppers((b"bench" * 8,))
ENOUGH = RateLimit(1e6, 1e6)  # the limit is checked on each request but never reached


def settings(url: str) -> ServerSettings:
    return ServerSettings(url, "tenuto_api", PEPPERS, key_limit=ENOUGH, org_limit=ENOUGH)


def bare(url: str) -> FastAPI:
    """Return an application with a minimal database route."""

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[dict[str, ConnectionLimit]]:
        async with open_pool(url, role="tenuto_api", size=settings(url).connections) as pool:
            app.state.pool = pool
            yield {"connections": ConnectionLimit(1000, 1000)}

    app = FastAPI(lifespan=lifespan)

    @app.get("/one")
    async def one() -> dict[str, int]:
        async with app.state.pool.connection() as conn:
            row = await (await conn.execute("select 1")).fetchone()
        return {"one": row[0]}

    return app


def main() -> None:
    which, fd, url = sys.argv[1:]
    config = uvicorn_config(settings(url))
    if which == "bare":
        config.app = bare(url)
        config.factory = False
    uvicorn.Server(config).run([socket.socket(fileno=int(fd))])


if __name__ == "__main__":
    main()

"""A client on a database of its own, with a clock and a worker inside the test; on it directly, and over HTTP."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Any

import pytest

from tenuto import App
from tenuto.db.connection.pool import open_pool
from tenuto.storage.folder import FolderStore
from tenuto.testing.isolation import isolated_client
from tests.support.http.kept_pool import KeptPool, a_kept_pool
from tests.support.http.loopback import Loopback, loopback, make_api_key
from tests.support.http.transports import isolated_over_http

Journey = Callable[[Any], Awaitable[Any]]


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """What a client does, it does over both transports, unless the test says why it cannot."""
    if "transport" in metafunc.fixturenames and not hasattr(metafunc.module, "transport"):
        direct_only = metafunc.definition.get_closest_marker("direct_only")
        metafunc.parametrize("transport", ["direct"] if direct_only else ["direct", "http"])


@pytest.fixture(scope="session")
def http_server() -> Iterator[Loopback]:
    """One for all tests of this process; each points it at its own database."""
    with loopback() as server:
        yield server


@pytest.fixture(scope="session")
def kept_pool() -> Iterator[KeptPool]:
    """The event loop and the connection of all journeys of this process."""
    with a_kept_pool() as kept:
        yield kept


@pytest.fixture
def journey(
    database: str,
    transport: str,
    request: pytest.FixtureRequest,
    kept_pool: KeptPool,
    monkeypatch: pytest.MonkeyPatch,
) -> Callable[[App, Journey], Any]:
    """`journey(app, steps)` runs the steps with a client of the app."""
    monkeypatch.setattr("tenuto.testing.isolation.open_pool", kept_pool.open)

    def client(app: App) -> AbstractAsyncContextManager[Any]:
        if transport == "http":
            return isolated_over_http(app, database, request.getfixturevalue("http_server"))
        return isolated_client(app, database)

    def run(app: App, steps: Journey) -> Any:
        async def all_of_it() -> Any:
            async with client(app) as tn:
                return await steps(tn)

        return kept_pool.portal.call(all_of_it)

    return run


@pytest.fixture
def way(database: str, transport: str, request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[dict[str, str]]:
    """What `app.connect(**way)` is told, to reach the test's database."""
    if transport == "direct":
        yield {"url": database}
        return
    http_server: Loopback = request.getfixturevalue("http_server")
    http_server.aim(database, FolderStore(tmp_path / "objects"))
    yield {"url": http_server.url, "key": asyncio.run(_key(database))}
    http_server.leave()


async def _key(database: str) -> str:
    async with open_pool(database, size=1) as pool:
        return await make_api_key(pool)

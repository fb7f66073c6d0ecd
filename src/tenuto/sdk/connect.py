"""Opens a client connection: to the database or server that the environment names, else to an embedded Postgres."""

import asyncio
import os
from collections.abc import AsyncGenerator, Mapping
from contextlib import AbstractContextManager, AsyncExitStack, asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING
from uuid import UUID

from tenuto.db.connection.errors import AWAY_SECONDS, BadAddress
from tenuto.model.environment import Environment, read_address, read_database_url, wrong_server
from tenuto.sdk.client.client import Client
from tenuto.sdk.client.sql_transport import SqlTransport
from tenuto.sdk.project import with_project
from tenuto.storage import open_store

if TYPE_CHECKING:
    from tenuto.sdk.app import App
    from tenuto.sdk.client.http_client import Http

DEFAULT_ORG = UUID("00000000-0000-7000-8000-000000000001")


def find_address(environment: Mapping[str, str] = os.environ, *, url: str | None = None) -> Environment:
    """Read the address from the environment and the project of the current folder. `url` takes precedence. If the
    environment names both a database and a server, the database is used."""
    address = read_address(environment)
    if url is not None and url.startswith(("http://", "https://")):
        address = replace(address, server_url=url, database_url=None)
    elif url is not None:
        address = replace(address, database_url=url)
    address = with_project(address)
    return replace(address, server_url=address.server)


@asynccontextmanager
async def connect(
    app: "App | None" = None,
    url: str | None = None,
    *,
    org: str | None = None,
    key: str | None = None,
    home: Path | None = None,
) -> AsyncGenerator[Client]:
    """Open a client for the duration of an `async with` block."""
    client = await open_client(app, url, org=org, key=key, home=home)
    try:
        yield client
    finally:
        await client.close()


async def open_client(
    app: "App | None" = None,
    url: str | None = None,
    *,
    org: str | None = None,
    key: str | None = None,
    home: Path | None = None,
) -> Client:
    """Open a client; `await client.close()` closes it. Arguments that are omitted come from the environment. An http or
    https URL is a server, authenticated with `key`; any other URL is a database. The embedded database runs for as long
    as any process uses it."""
    from tenuto.sdk.app_loader import refuse_while_loading

    refuse_while_loading()
    url = read_database_url(url)
    address = find_address(url=url)
    if home is not None:
        address = replace(address, home=home, project_folder=None)
    # An exit stack, not async generators, which asyncio.run() would close when it ends.
    async with AsyncExitStack() as opened:
        if (server := address.server_url) is not None:
            from tenuto.sdk.client.http_transport import HttpTransport

            http = open_http(server, key or address.api_key, write="" if url else "TENUTO_URL=", org=org)
            opened.push_async_callback(http.close)
            client = Client(HttpTransport(http), url=http.url, app=app)
        else:
            client = await _direct(opened, app, address, org)
        client.close_later(opened.pop_all())
        return client


def open_http(
    url: str, key: str | None, *, write: str, org: str | None = None, retry_seconds: float | None = None
) -> "Http":
    """Return the connection to a server. Raises BadAddress if the address or the key cannot be right; `write` is the
    text before the address in the hint of the error, such as `TENUTO_URL=`."""
    from tenuto.model.keys import WORKER, parse_key
    from tenuto.sdk.client.http_client import MAKE_KEY, RETRY_SECONDS, Http

    if wrong := wrong_server(url, write):
        raise BadAddress(wrong)
    if not key:
        raise BadAddress(f"{url} requires an API key: {MAKE_KEY}")
    if (parsed := parse_key(key)) and parsed.kind == WORKER:
        raise BadAddress(f"this is a worker key (tnw_…); clients of {url} need an API key (tn_…): {MAKE_KEY}")
    if org is not None:
        raise BadAddress(
            f"org={org!r}: over HTTP the API key determines the org; leave org out, and use an API key of that org"
        )
    return Http(url, key, retry_seconds=RETRY_SECONDS if retry_seconds is None else retry_seconds)


async def _direct(opened: AsyncExitStack, app: "App | None", address: Environment, org: str | None) -> Client:
    from tenuto.db import orgs
    from tenuto.db.connection.pool import make_pool
    from tenuto.db.connection.process_role import choose_role

    slug = org or address.org
    url = await _find_database(opened, address)
    role = await asyncio.to_thread(choose_role, url, "tenuto_worker")
    pool = make_pool(url, role=role, away=AWAY_SECONDS)
    opened.push_async_callback(pool.close)
    org_id = DEFAULT_ORG if slug == "default" else await pool.call(orgs.find_org, slug=slug)
    transport = SqlTransport(pool, org_id, open_store(address.storage))
    transport.weak_queries = address.weak_queries
    client = Client(transport, url=url, app=app)
    client.embedded = address if address.database_url is None else None
    return client


async def _find_database(opened: AsyncExitStack, address: Environment) -> str:
    """Return the URL after checking that the schema of its database matches this version. Without a URL, start the
    embedded server and migrate its database."""
    from tenuto.db import embedded
    from tenuto.db.install import install

    if (url := address.database_url) is not None:
        await asyncio.to_thread(install.require_fitting, url)
        return url
    server: AbstractContextManager[str] = embedded.server(
        address.home, project=address.project_folder, pg_bin=address.pg_bin
    )
    own = await asyncio.to_thread(server.__enter__)
    opened.push_async_callback(_leave, server)
    await asyncio.to_thread(install.migrate, own)
    return own


async def _leave(server: AbstractContextManager[str]) -> None:
    try:
        leaving = asyncio.get_running_loop().run_in_executor(None, server.__exit__, None, None, None)
    except RuntimeError:  # the interpreter exits, so there are no more threads
        server.__exit__(None, None, None)
    else:
        await leaving

"""Opens a client connection: to the database or server that the environment names, else to an embedded Postgres."""

import asyncio
import os
from collections.abc import AsyncGenerator, Mapping
from contextlib import AbstractContextManager, asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING
from uuid import UUID

from tenuto.db.connection.errors import BadAddress, DatabaseProblem
from tenuto.model.environment import Environment, check_database_url, read_address, wrong_server
from tenuto.sdk.client.client import Client
from tenuto.sdk.client.sql_transport import SqlTransport
from tenuto.storage.folder import FolderStore

if TYPE_CHECKING:
    from tenuto.sdk.app import App

DEFAULT_ORG = UUID("00000000-0000-7000-8000-000000000001")


class NotInstalled(DatabaseProblem):
    """The database has no Tenuto schema, or one that does not match this version."""


def find_address(environment: Mapping[str, str] = os.environ) -> Environment:
    """Read the address from the environment. If it names both a database and a server, the database is used."""
    address = read_address(environment)
    return replace(address, server_url=None) if address.database_url is not None else address


@asynccontextmanager
async def connect(
    app: "App | None" = None,
    url: str | None = None,
    *,
    org: str | None = None,
    key: str | None = None,
    home: Path | None = None,
) -> AsyncGenerator[Client]:
    """Open a client. Arguments that are omitted come from the environment. An http or https URL is a server,
    authenticated with `key`; any other URL is a database. The embedded database runs for as long as any process uses
    it."""
    from tenuto.sdk.app_loader import refuse_while_loading

    refuse_while_loading()
    check_database_url(url)
    address = find_address()
    server = url if url is not None and url.startswith(("http://", "https://")) else None
    if server is None and url is None:
        server = address.server_url
    if server is not None:
        if wrong := wrong_server(server, "" if url else "TENUTO_URL="):
            raise BadAddress(wrong)
        way = _over_http(app, server, key or address.api_key, org)
    else:
        way = _direct(app, replace(address, database_url=url or address.database_url, home=home or address.home), org)
    async with way as client:
        try:
            yield client
        finally:
            await client.watcher.close()


@asynccontextmanager
async def _over_http(app: "App | None", url: str, key: str | None, org: str | None) -> AsyncGenerator[Client]:
    from tenuto.model.keys import WORKER, parse_key
    from tenuto.sdk.client.http_client import MAKE_KEY, Http
    from tenuto.sdk.client.http_transport import HttpTransport

    if not key:
        raise BadAddress(f"{url} requires an API key: {MAKE_KEY}")
    if (parsed := parse_key(key)) and parsed.kind == WORKER:
        raise BadAddress(f"this is a worker key (tnw_…); clients of {url} need an API key (tn_…): {MAKE_KEY}")
    if org is not None:
        raise BadAddress(
            f"org={org!r}: over HTTP the API key determines the org; leave it out, or use a key of that org"
        )
    http = Http(url, key)
    try:
        yield Client(HttpTransport(http), url=http.url, app=app)
    finally:
        await http.close()


@asynccontextmanager
async def _direct(app: "App | None", address: Environment, org: str | None) -> AsyncGenerator[Client]:
    from tenuto.db import identity
    from tenuto.db.connection.pool import open_pool
    from tenuto.db.connection.process_role import choose_role

    slug = org or address.org
    async with _database(address.database_url, address.home, address.pg_bin) as url:
        role = await asyncio.to_thread(choose_role, url, "tenuto_worker")
        async with open_pool(url, role=role) as pool:
            org_id = DEFAULT_ORG if slug == "default" else await pool.call(identity.find_org, slug=slug)
            yield Client(SqlTransport(pool, org_id, FolderStore(address.home / "objects")), url=url, app=app)


@asynccontextmanager
async def _database(url: str | None, home: Path, pg_bin: Path | None) -> AsyncGenerator[str]:
    """Yield the URL of a database whose schema matches this version."""
    from tenuto.db import embedded
    from tenuto.db.install import install

    if url is not None:
        await asyncio.to_thread(_check_installed, url)
        yield url
        return
    server: AbstractContextManager[str] = embedded.server(home, pg_bin=pg_bin)
    own = await asyncio.to_thread(server.__enter__)
    try:
        await asyncio.to_thread(install.migrate, own)
        yield own
    finally:
        await asyncio.to_thread(server.__exit__, None, None, None)


def _check_installed(url: str) -> None:
    from tenuto.db.install import install

    status = install.status(url)
    if status.pending:
        what = "has no Tenuto schema" if status.schema_version == 0 else "was migrated by an older Tenuto"
        raise NotInstalled(f"the database at {status.url} {what}; run `tenuto db migrate`")
    if not status.fits:
        raise NotInstalled(
            f"the functions in the database at {status.url} do not match this Tenuto; "
            "run `tenuto db migrate` with the Tenuto that all processes run"
        )

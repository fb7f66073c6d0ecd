"""Finding the way to Tenuto: the environment says where it is, else it is started here."""

import asyncio
import os
from collections.abc import AsyncGenerator, Mapping
from contextlib import AbstractContextManager, asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING
from uuid import UUID

from tenuto.db.errors import BadAddress, DatabaseProblem
from tenuto.model.address import Address, read_address
from tenuto.sdk.client import Client
from tenuto.sdk.direct import Direct
from tenuto.storage.folder import FolderStore

if TYPE_CHECKING:
    from tenuto.sdk.app import App

DEFAULT_ORG = UUID("00000000-0000-7000-8000-000000000001")


class NotInstalled(DatabaseProblem):
    """The database is there, but Tenuto's tables are not, or are older than this Tenuto."""


def find_address(environment: Mapping[str, str] = os.environ) -> Address:
    """What the environment says, as far as this Tenuto can go there."""
    said = read_address(environment)
    if said.database_url is None and said.server_url is not None:
        raise BadAddress(
            "TENUTO_URL is set, but this Tenuto cannot speak HTTP yet; set TENUTO_DATABASE_URL to a Postgres address"
        )
    return said


@asynccontextmanager
async def connect(
    app: "App | None" = None, url: str | None = None, *, org: str | None = None, home: Path | None = None
) -> AsyncGenerator[Client]:
    """A client; what is not said here the environment says. The embedded server runs while anybody uses it."""
    from tenuto.db import identity
    from tenuto.db.login import choose_role
    from tenuto.db.pool import open_pool
    from tenuto.sdk.target import refuse_while_loading

    refuse_while_loading()
    said = find_address()
    home = home or said.home
    slug = org or said.org
    async with _database(url or said.database_url, home, said.pg_bin) as found:
        role = await asyncio.to_thread(choose_role, found, "tenuto_worker")
        async with open_pool(found, role=role) as pool:
            org_id = DEFAULT_ORG if slug == "default" else await pool.call(identity.find_org, slug=slug)
            client = Client(Direct(pool, org_id, FolderStore(home / "objects")), url=found, app=app)
            try:
                yield client
            finally:
                await client.watcher.close()


@asynccontextmanager
async def _database(url: str | None, home: Path, pg_bin: Path | None) -> AsyncGenerator[str]:
    """The url of a database that has what this Tenuto needs."""
    from tenuto.db import embedded, install

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
    from tenuto.db import install

    status = install.status(url)
    if status.pending:
        what = "holds no Tenuto" if status.schema_version == 0 else "was made by an older Tenuto"
        raise NotInstalled(f"the database at {status.url} {what}; run `tenuto db migrate`")

"""Finding the way to Tenuto: the environment says where it is, else it is started here."""

import asyncio
import os
from collections.abc import AsyncGenerator, Mapping
from contextlib import AbstractContextManager, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING
from uuid import UUID

from tenuto.db.errors import BadAddress, DatabaseProblem
from tenuto.sdk.client import Client
from tenuto.storage.folder import FolderStore

if TYPE_CHECKING:
    from tenuto.sdk.app import App

DEFAULT_ORG = UUID("00000000-0000-7000-8000-000000000001")


class NotInstalled(DatabaseProblem):
    """The database is there, but Tenuto's tables are not, or are older than this Tenuto."""


@dataclass(frozen=True)
class Address:
    """Where Tenuto is: the url of a database, or None for the embedded one below `home`."""

    url: str | None
    home: Path
    pg_bin: Path | None
    org: str


def read_address(environment: Mapping[str, str] = os.environ) -> Address:
    """What TENUTO_DATABASE_URL, TENUTO_URL, TENUTO_HOME, TENUTO_PG_BIN and TENUTO_ORG say."""
    url = environment.get("TENUTO_DATABASE_URL") or None
    if url is None and environment.get("TENUTO_URL"):
        raise BadAddress(
            "TENUTO_URL is set, but this Tenuto cannot speak HTTP yet; set TENUTO_DATABASE_URL to a Postgres address"
        )
    home = environment.get("TENUTO_HOME")
    shared = environment.get("XDG_DATA_HOME")
    pg_bin = environment.get("TENUTO_PG_BIN")
    return Address(
        url=url,
        home=Path(home).expanduser().absolute()
        if home
        else (Path(shared) if shared else Path.home() / ".local" / "share") / "tenuto",
        pg_bin=Path(pg_bin).expanduser() if pg_bin else None,
        org=environment.get("TENUTO_ORG") or "default",
    )


@asynccontextmanager
async def connect(
    app: "App | None" = None, url: str | None = None, *, org: str | None = None, home: Path | None = None
) -> AsyncGenerator[Client]:
    """A client; what is not said here the environment says. The embedded server runs while anybody uses it."""
    from tenuto.db import identity
    from tenuto.db.login import choose_role
    from tenuto.db.pool import open_pool

    said = read_address()
    home = home or said.home
    slug = org or said.org
    async with _database(url or said.url, home, said.pg_bin) as found:
        role = await asyncio.to_thread(choose_role, found, "tenuto_worker")
        async with open_pool(found, role=role) as pool:
            org_id = DEFAULT_ORG if slug == "default" else await pool.call(identity.find_org, slug=slug)
            client = Client(pool, org_id, FolderStore(home / "objects"), url=found, app=app)
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

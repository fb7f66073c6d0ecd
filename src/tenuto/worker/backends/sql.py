"""The SQL backend: for workers that have a database login."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from uuid import UUID

from tenuto.db.connection import claim_connection
from tenuto.db.connection.errors import DatabaseProblem
from tenuto.db.connection.listener import Wakeup, listen
from tenuto.db.connection.pool import ConnectionPool, open_pool
from tenuto.db.install.schema_check import wait_for_other_functions
from tenuto.sdk.app import App
from tenuto.sdk.values.data_objects import Objects
from tenuto.storage.folder import FolderStore
from tenuto.worker.backends.schedules import put_schedules
from tenuto.worker.backends.sql_ports import SqlAttemptApis
from tenuto.worker.process.session import WorkerSession
from tenuto.worker.settings import WorkerSettings


class SqlBackend:
    """A small connection pool for calls of the event loop, and one connection per claimer."""

    def __init__(self, pool: ConnectionPool, settings: WorkerSettings) -> None:
        self._pool, self._settings = pool, settings
        self.call = pool.call

    def open_channel(self) -> claim_connection.ClaimConnection:
        line = claim_connection.open_claim_connection(self._settings.url, 0, "", [], role=self._settings.role)
        line.group = self._settings.resource_group
        return line

    def open_ports(self, session: WorkerSession) -> SqlAttemptApis:
        org_id = UUID(self._settings.org_id)
        objects = Objects(self._pool, org_id, FolderStore(Path(self._settings.home) / "objects"))
        return SqlAttemptApis(self._pool, session, org_id, objects)

    def listen(self) -> AsyncIterator[Wakeup]:
        return listen(self._settings.url)

    async def put_schedules(self, app: App) -> None:
        async with self._pool.connection() as conn:
            await put_schedules(conn, UUID(self._settings.org_id), app)

    async def wait_for_other_functions(self) -> DatabaseProblem:
        return await wait_for_other_functions(self._pool)


@asynccontextmanager
async def open_direct(settings: WorkerSettings) -> AsyncIterator[SqlBackend]:
    async with open_pool(settings.url, role=settings.role) as pool:
        yield SqlBackend(pool, settings)

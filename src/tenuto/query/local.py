"""Runs queries on this machine, for clients that connect to the database and not to a server."""

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from tenuto.db import datasets
from tenuto.db.connection.pool import ConnectionPool
from tenuto.model.ids import uuid7
from tenuto.model.jobs import PageOfRows
from tenuto.model.queries import PinnedDataset, QueryFormat, VersionRead, too_large
from tenuto.query.as_of import AsOf
from tenuto.query.pool import ProcessPool, hidden_folders
from tenuto.query.service import Catalog, QueryInput, QueryService, json_head
from tenuto.storage.base import Store


@dataclass(frozen=True)
class SqlCatalog:
    """Every dataset of an org: a login of the database is trusted with all of them."""

    pool: ConnectionPool
    org_id: UUID

    async def pin(self, names: list[str], as_of: AsOf) -> Sequence[PinnedDataset]:
        return await self.pool.call(
            datasets.pin_datasets,
            org_id=self.org_id,
            names=names,
            every=True,
            dag=as_of.dag,
            dag_version=as_of.dag_version,
            version_id=as_of.version_id,
            at=as_of.at,
        )

    async def read_rows(
        self,
        number: int,  # noqa: ARG002 - of the interface
        version_id: UUID,
        location: str,
        page: int,
    ) -> PageOfRows:
        return await self.pool.call(
            datasets.read_dataset_rows, org_id=self.org_id, version_id=version_id, location=location, page=page
        )

    async def record(self, action: str, shape: str, versions: Sequence[VersionRead]) -> None:
        await self.pool.call(
            datasets.record_query,
            org_id=self.org_id,
            query_id=UUID(uuid7()),
            action=action,
            shape=shape,
            versions=[version.to_json() for version in versions],
        )


async def run_local(
    pool: ConnectionPool,
    org_id: UUID,
    store: Store,
    *,
    sql: str,
    as_of: str | None,
    format: QueryFormat,
    max_rows: int,
    weak: bool,
) -> tuple[list[VersionRead], bytes]:
    """Run a query; return the versions that it read, and the whole result as a server would send it."""
    query = QueryInput(sql, as_of, format, max_rows)
    return await run_here(query, SqlCatalog(pool, org_id), org_id, store, weak=weak)


async def run_here(
    query: QueryInput, catalog: Catalog, org_id: UUID, store: Store, *, weak: bool, max_bytes: int | None = None
) -> tuple[list[VersionRead], bytes]:
    """Run a query in a process of this machine; return the versions that it read, and the whole result."""
    service = QueryService(ProcessPool(weak=weak, spares=0, hidden=hidden_folders(store.root)), store)
    try:
        async with service.open(query, catalog, org_id) as running:
            content = bytearray(json_head(running.versions) if query.format == "json" else b"")
            async for block in running.blocks:
                content += block
                if max_bytes is not None and len(content) > max_bytes:
                    raise too_large(max_bytes)
            return running.versions, bytes(content)
    finally:
        await service.close()

"""Deletes the data of purged dataset versions: first the rows of their partitions, then their tables and files."""

import asyncio
from uuid import UUID

from tenuto.db import datasets
from tenuto.db.connection.pool import ConnectionPool
from tenuto.model.outbox import Effect
from tenuto.storage.base import Store

DATASETS = "datasets/"  # the folder of all datasets in the store


class Purger:
    """The handler of effects of the kind `delete_data`. If an attempt does not finish in time, the next attempt
    continues the deletion."""

    def __init__(self, store: Store) -> None:
        self._store = store

    async def __call__(self, pool: ConnectionPool, effect: Effect) -> None:
        org_id, version_id = effect.org_id, UUID(effect.payload["version_id"])
        location = await pool.call(datasets.find_purged_data, org_id=org_id, version_id=version_id)
        if location is None:
            return
        while await pool.call(datasets.delete_partitions, org_id=org_id, version_id=version_id):
            pass
        await pool.call(datasets.drop_data_table, org_id=org_id, version_id=version_id)
        await asyncio.to_thread(self._store.delete_prefix, DATASETS + location)

"""Adds the rows that tasks have appended to the datasets of sinks."""

from tenuto.db import datasets
from tenuto.db.connection.pool import ConnectionPool
from tenuto.dispatcher.effects import BatchHandler


class SinkFlusher(BatchHandler):
    """The handler of effects of the kind `sink`. The rows of many tasks for one dataset are added together, with one
    event."""

    async def handle(self, pool: ConnectionPool, owner: str, ids: list[int]) -> None:
        await pool.call(datasets.flush_sinks, owner=owner, ids=ids)

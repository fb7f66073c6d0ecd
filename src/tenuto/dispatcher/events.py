"""Routes events: the jobs that read a changed dataset react to it."""

from tenuto.db import events
from tenuto.db.connection.pool import ConnectionPool
from tenuto.dispatcher.effects import BatchHandler


class EventRouter(BatchHandler):
    """The handler of the kind `route_event`. Effects with many reactions are taken again until they are done."""

    async def handle(self, pool: ConnectionPool, owner: str, ids: list[int]) -> None:
        await pool.call(events.route_events, owner=owner, ids=ids)

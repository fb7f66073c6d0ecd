"""Routes events: makes the jobs that read a changed dataset react to its event."""

from tenuto.db import events
from tenuto.db.connection.pool import ConnectionPool
from tenuto.dispatcher.effects import BatchHandler


class EventRouter(BatchHandler):
    """The handler of effects of the kind `route_event`. An effect with many reactions is handled in several turns until
    it is done."""

    async def handle(self, pool: ConnectionPool, owner: str, ids: list[int]) -> None:
        await pool.call(events.route_events, owner=owner, ids=ids)

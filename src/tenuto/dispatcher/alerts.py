"""Records the alerts that jobs found in data."""

from tenuto.db import alerts
from tenuto.db.connection.pool import ConnectionPool
from tenuto.dispatcher.effects import BatchHandler


class AlertRecorder(BatchHandler):
    """The handler of effects of the kind `raise_alerts`. An effect that must wait for an earlier effect of the same
    partition is handled again later."""

    async def handle(self, pool: ConnectionPool, owner: str, ids: list[int]) -> None:
        await pool.call(alerts.raise_alerts, owner=owner, ids=ids)

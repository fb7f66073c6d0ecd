"""Sends workflows to DBOS."""

import sqlalchemy
from dbos import DBOS, DBOSClient, EnqueueOptions

from bench.peers import sender
from bench.peers.dbos.workflows import CONFIG, PARENTS, QUEUE

URL = CONFIG["system_database_url"] or ""
BATCH = 500


class DbosSender:
    """Sends workflows `noop`, `late`, `chain` and `fan`."""

    def __init__(self) -> None:
        self.client = DBOSClient(system_database_url=URL, lazy=True)
        self.engine = sqlalchemy.create_engine(URL)

    async def prepare(self) -> None:
        DBOS.migrate(system_database_url=URL)

    async def send(self, n: int) -> None:
        await self._send("noop", n)

    async def send_late(self, sent: int) -> None:
        await self._send("late", sent)

    async def send_many(self, count: int) -> None:
        """Send workflows in transactions of 500, because there is no bulk call."""
        for first in range(0, count, BATCH):
            with self.engine.begin() as connection:
                for n in range(first, min(first + BATCH, count)):
                    self.client.enqueue_in_transaction(connection, _options("noop"), n)

    async def send_chains(self, count: int) -> None:
        with self.engine.begin() as connection:
            for _ in range(count):
                self.client.enqueue_in_transaction(connection, _options("chain"))

    async def send_fans(self, count: int, width: int) -> None:
        for _ in range(count):
            await self.client.enqueue_async(_options("fan", queue=PARENTS), width)

    async def _send(self, workflow: str, argument: int) -> None:
        await self.client.enqueue_async(_options(workflow), argument)


def _options(workflow: str, *, queue: str = QUEUE) -> EnqueueOptions:
    return {"queue_name": queue, "workflow_name": workflow, "app_version": "1"}


async def make() -> DbosSender:
    return DbosSender()


sender.run(make)

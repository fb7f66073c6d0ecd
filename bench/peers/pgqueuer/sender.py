"""Sends jobs to pgqueuer."""

import asyncpg
import uvloop
from pgqueuer import AsyncpgDriver, Queries

from bench.peers import sender

BATCH = 1000


class PgqueuerSender:
    """Sends to entry points `noop`, `late` and `link`."""

    def __init__(self, queries: Queries) -> None:
        self.queries = queries

    async def prepare(self) -> None:
        await self.queries.install()

    async def send(self, n: int) -> None:
        await self.queries.enqueue("noop", b'{"n": %d}' % n)

    async def send_late(self, sent: int) -> None:
        await self.queries.enqueue("late", b"%d" % sent)

    async def send_many(self, count: int) -> None:
        for first in range(0, count, BATCH):
            size = min(BATCH, count - first)
            payloads: list[bytes | None] = [b'{"n": %d}' % n for n in range(first, first + size)]
            await self.queries.enqueue(["noop"] * size, payloads, [0] * size)

    async def send_chains(self, count: int) -> None:
        """Send chains. There are no dependencies: the job enqueues the next one itself."""
        await self.queries.enqueue(["link"] * count, [b"2"] * count, [0] * count)


async def make() -> PgqueuerSender:
    return PgqueuerSender(Queries(AsyncpgDriver(await asyncpg.connect(sender.url()))))


sender.run(make, loop=uvloop.new_event_loop)

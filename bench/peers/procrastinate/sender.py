"""Sends jobs to procrastinate."""

import uvloop

from bench.peers import sender
from bench.peers.procrastinate.tasks import app, late, link, noop

BATCH = 1000


class ProcrastinateSender:
    """Sends tasks `noop`, `late` and `link`."""

    async def prepare(self) -> None:
        await app.schema_manager.apply_schema_async()

    async def send(self, n: int) -> None:
        await noop.defer_async(n=n)

    async def send_late(self, sent: int) -> None:
        await late.defer_async(sent=sent)

    async def send_many(self, count: int) -> None:
        for first in range(0, count, BATCH):
            await noop.batch_defer_async(*[{"n": n} for n in range(first, min(first + BATCH, count))])

    async def send_chains(self, count: int) -> None:
        await link.batch_defer_async(*[{"left": 2}] * count)


async def make() -> ProcrastinateSender:
    await app.open_async()
    return ProcrastinateSender()


sender.run(make, loop=uvloop.new_event_loop)

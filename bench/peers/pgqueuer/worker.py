"""Runs pgqueuer jobs."""

import asyncio
import signal

import asyncpg
import uvloop
from pgqueuer import AsyncpgDriver, Job, PgQueuer, Queries

from bench.peers import sender
from bench.peers.tally import hit, late


async def main() -> None:
    connection = await asyncpg.connect(sender.url())
    queuer = PgQueuer.from_asyncpg_connection(connection)
    queries = Queries(AsyncpgDriver(await asyncpg.connect(sender.url())))
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, queuer.shutdown.set)

    @queuer.entrypoint("noop")
    async def noop(_: Job) -> None:
        hit()

    @queuer.entrypoint("late")
    async def _late(job: Job) -> None:
        late(int(job.payload or b"0"))

    @queuer.entrypoint("link")
    async def link(job: Job) -> None:
        hit()
        left = int(job.payload or b"0")
        if left:
            await queries.enqueue("link", b"%d" % (left - 1))

    await queuer.run(batch_size=500)


uvloop.run(main())

"""Runs procrastinate tasks."""

import uvloop

from bench.peers.procrastinate.tasks import app


async def main() -> None:
    async with app.open_async():
        await app.run_worker_async(concurrency=100)


uvloop.run(main())

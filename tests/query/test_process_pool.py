"""The processes of queries: one per query, warm, whatever clients do."""

import asyncio

from tenuto.query.pool import ProcessPool


def test_a_client_that_leaves_during_the_first_start_holds_up_no_other() -> None:
    async def leave_and_query() -> bool:
        pool = ProcessPool(weak=True)
        try:
            for _ in range(3):
                leaving = asyncio.create_task(pool.process().__aenter__())
                while not pool._turn.locked():  # the template starts
                    await asyncio.sleep(0)
                leaving.cancel()
                await asyncio.wait([leaving])
            async with asyncio.timeout(60), pool.process() as process:
                return process.is_alive
        finally:
            await pool.close()

    assert asyncio.run(leave_and_query())

"""The processes of queries: one per query, warm, whatever clients do."""

import asyncio
from uuid import uuid4

from tenuto.query.limits import LIMITS
from tenuto.query.pool import ProcessPool
from tenuto.query.process import PROGRAM, start_process
from tenuto.runtimes.sandbox.capabilities import find_capabilities
from tenuto.runtimes.sandbox.template_client import SandboxTemplate


def test_a_client_that_leaves_during_the_first_start_holds_up_no_other() -> None:
    async def leave_and_query() -> bool:
        pool = ProcessPool(weak=True)
        try:
            for _ in range(3):
                leaving = asyncio.create_task(pool.process(uuid4()).__aenter__())
                while not pool._turn.locked():  # the template starts
                    await asyncio.sleep(0)
                leaving.cancel()
                await asyncio.wait([leaving])
            async with asyncio.timeout(60), pool.process(uuid4()) as process:
                return process.is_alive
        finally:
            await pool.close()

    assert asyncio.run(leave_and_query())


def test_a_start_that_is_cancelled_leaves_its_process_to_no_other() -> None:
    async def cancel_and_start() -> list[str]:
        capabilities = await find_capabilities(weak=True)
        template = SandboxTemplate(PROGRAM)
        await template.start()
        try:
            leaving = asyncio.create_task(start_process(template, capabilities, LIMITS, ()))
            while not template._requests:
                await asyncio.sleep(0)
            leaving.cancel()
            process = await start_process(template, capabilities, LIMITS, ())
            names = await process.parse("select 1 from orders", "json", 1)
            process.kill()
            await process.end()
            async with asyncio.timeout(30):
                while template._children:  # the one that nobody waited for is ended too
                    await asyncio.sleep(0.01)
            return names
        finally:
            await template.close()

    assert asyncio.run(cancel_and_start()) == ["orders"]

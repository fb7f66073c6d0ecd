"""Tasks that take a while, for a pool that grows."""

import asyncio

from tenuto import App

app = App("pool")


@app.task
async def work(no: int) -> int:
    await asyncio.sleep(0.1)
    return no

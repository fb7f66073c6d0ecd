"""Tasks that say when they were asked to stop."""

import asyncio
import time

from tenuto import App
from tests.journeys.apps.world import at_gate, effect

app = App("lease")


@app.task
async def until_stopped() -> str:
    effect("begun")
    try:
        await at_gate("door")
    except asyncio.CancelledError:
        effect(f"stopped at {time.time()}")
        raise
    return "through the door"

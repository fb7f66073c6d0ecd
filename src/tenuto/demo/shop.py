"""A shop: an order is charged, packed and shipped. `tenuto worker tenuto.demo.shop:app` runs it."""

import asyncio
import os
from pathlib import Path

from tenuto import App, Context

app = App("shop")
LEDGER = Path("ledger.txt")  # in the current folder of the worker


@app.task
async def order(ctx: Context, number: int) -> str:
    await ctx.step("charge", charge, number)
    await pack(number)  # the demo kills the worker here
    await ctx.step("ship", ship, number)
    return f"order {number} is shipped"


async def charge(number: int) -> None:
    """Take the money. A real payment would pass `ctx.idempotency_key` to the bank: a worker can die after a payment and
    before Tenuto has recorded the step."""
    write(f"order {number}: charged 42.00 EUR")


async def pack(number: int) -> None:
    """Wait until the warehouse has packed the order: until the file exists, or for ten seconds."""
    for _ in range(200):
        if Path(f"packed-{number}").exists():
            return
        await asyncio.sleep(0.05)


async def ship(number: int) -> None:
    write(f"order {number}: shipped")


def write(line: str) -> None:
    with LEDGER.open("a") as ledger:
        ledger.write(f"{line}, by process {os.getpid()}\n")

"""Signals, sleep and steps: a task that takes days, and holds nothing while it waits.

In one terminal:  tenuto up examples/08_signals_and_sleep.py
In another:       python examples/08_signals_and_sleep.py

Stop the first in the middle and start it again: what was done stays done, and the order goes on where it was. When a
wait is over, the function runs again from the top; steps, sleeps and signals then return what was recorded.
"""

import asyncio

from tenuto import App, Context

app = App("rental")


async def charge(customer: str) -> str:
    return f"receipt for {customer}"


@app.task
async def rent(ctx: Context, customer: str) -> str:
    receipt = await ctx.step("charge", charge, customer)  # recorded: no later attempt charges again
    await ctx.sleep("1s")  # or "3d": holds no worker, and survives every crash
    approved = await ctx.wait("approved")  # a signal: await run.signal("approved", {"by": "bob"})
    return f"{receipt}, approved by {approved['by']}"


@app.task
async def remind(ctx: Context) -> str:
    try:
        return await ctx.wait("answer", timeout="500ms")
    except TimeoutError:
        return "no answer: reminded"


async def main() -> None:
    async with app.connect() as tn:
        order = await tn.start(rent, "ada")
        await order.signal("approved", {"by": "bob"})  # also: tenuto signal RUN approved '{"by": "bob"}'
        print(await order.result(timeout=60))
        print(await (await tn.start(remind)).result(timeout=60))


if __name__ == "__main__":
    asyncio.run(main())

"""Limits: how many at a time and how many in a time, over all workers together.

In one terminal:  tenuto up examples/10_limits.py
In another:       python examples/10_limits.py
"""

import asyncio
import time

from tenuto import App, Limit

app = App("api")


@app.task(limit=Limit(2, key="customer"))  # two at a time for each customer
async def call(customer: str, path: str) -> tuple[str, float, float]:
    began = time.time()
    await asyncio.sleep(0.1)
    return f"{customer}{path}", began, time.time()


@app.task(rate="10/s")  # `Rate("10/s", key="customer")` counts for each customer
async def ping() -> float:
    return time.time()


def most_at_once(calls: list[tuple[str, float, float]]) -> int:
    return max(sum(began <= moment < ended for _, began, ended in calls) for _, moment, _ in calls)


async def main() -> None:
    async with app.connect() as tn:
        for customer in ("ada", "bob"):
            runs = await tn.start_many(call, [(customer, f"/{no}") for no in range(10)])
            print(customer, "had at most", most_at_once(await runs.results(timeout=60)), "calls at a time")

        pings = sorted(await (await tn.start_many(ping, [()] * 15)).results(timeout=60))
        print("15 pings at 10 per second took more than a second:", pings[-1] - pings[0] > 1)


if __name__ == "__main__":
    asyncio.run(main())

"""Graphs: passing what a task gives to another makes it wait for it.

In one terminal:  tenuto up examples/03_graph.py
In another:       python examples/03_graph.py
"""

import asyncio

from tenuto import App, chain, group

app = App("report")


@app.task
async def extract(region: str) -> int:
    return {"eu": 12, "us": 30, "asia": 58}[region]


@app.task
async def merge(parts: list[int]) -> int:
    return sum(parts)


@app.task
async def audit() -> None:
    """Only has to be over before the report goes out."""


@app.task
async def publish(total: int) -> str:
    return f"published a total of {total}"


@app.task
async def say(what: str) -> str:
    return what


@app.task
async def add(x: int, y: int) -> int:
    return x + y


async def main() -> None:
    async with app.connect() as tn:
        g = tn.graph("report")
        parts = g.map(extract, ["eu", "us", "asia"])
        g.add(publish, g.add(merge, parts), after=[g.add(audit)])
        g.on_failed(say, "the report failed")  # runs only then
        print(await (await tn.start(g)).result(timeout=60))

        # The same idea without a graph: what the first give is what the second takes, by position and type.
        run = await tn.start(chain(group(add, add), add), 1, 2, 3, 4)
        print("(1 + 2) + (3 + 4) =", await run.result(timeout=60))


if __name__ == "__main__":
    asyncio.run(main())

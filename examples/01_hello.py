"""Hello: a function becomes a task, a worker runs it, its result comes back.

In one terminal, which brings a database and a worker for this file:   tenuto up examples/01_hello.py
In another, which starts the tasks and prints what they return:        python examples/01_hello.py
"""

import asyncio

from tenuto import App

app = App("hello")


@app.task
async def greet(name: str) -> str:
    return f"hello, {name}"


@app.task
def add(x: int, y: int) -> int:  # a plain function runs in a thread; executor="process" gives it a process
    return x + y


async def main() -> None:
    async with app.connect() as tn:
        run = await tn.start(greet, "world")
        print(await run.result(timeout=60))

        run = await tn.start(add, x=2, y=3)
        print("2 + 3 =", await run.result(timeout=60))

        many = await tn.start_many(add, [(n, n) for n in range(1000)])  # all or none, in one round trip
        print(len(many), "sums, together", sum(await many.results(timeout=60)))


if __name__ == "__main__":
    asyncio.run(main())

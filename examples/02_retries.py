"""Retries: a task that fails is tried again, as often and as late as it says.

In one terminal:  tenuto up examples/02_retries.py
In another:       python examples/02_retries.py
"""

import asyncio

from tenuto import App, Context, Fail, Fixed, Retry, RunFailed

app = App("retries")


@app.task(max_attempts=5, retry=Fixed("100ms"))
async def charge(ctx: Context, order: str) -> str:
    if ctx.attempt < 3:
        raise ConnectionError("the bank does not answer")  # any exception costs an attempt
    return f"{order} charged on attempt {ctx.attempt}"


@app.task(max_attempts=5)
async def ask_later(ctx: Context) -> str:
    if ctx.attempt == 1:
        raise Retry("too many requests", after="200ms")  # as the other side asked
    return f"answered on attempt {ctx.attempt}"


def by_error(error: BaseException, failures: int) -> float | type[Fail]:
    """A policy of one's own: how long to wait after which error, or to give up."""
    return Fail if isinstance(error, ValueError) else 0.1 * failures


@app.task(max_attempts=5, retry=by_error)
async def ship(country: str) -> str:
    raise ValueError(f"there is no country {country!r}")


@app.task(timeout="500ms", max_attempts=2, retry=Fixed("100ms"))
async def hang() -> None:
    await asyncio.sleep(3600)  # an attempt that takes longer than its timeout is stopped and fails


async def main() -> None:
    async with app.connect() as tn:
        print(await (await tn.start(charge, "order 1")).result(timeout=60))
        print(await (await tn.start(ask_later)).result(timeout=60))
        for task, arguments in ((ship, ("Atlantis",)), (hang, ())):
            run = await tn.start(task, *arguments)
            try:
                await run.result(timeout=60)
            except RunFailed as failed:
                (seen,) = await run.tasks()
                print(f"{task.name} failed after {seen.attempt} of {seen.max_attempts} attempts: {failed.message}")


if __name__ == "__main__":
    asyncio.run(main())

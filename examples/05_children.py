"""Children: a task that finds out while it runs how many others it needs. While it waits for them it holds no slot.

In one terminal:  tenuto up examples/05_children.py
In another:       python examples/05_children.py
"""

import asyncio

from tenuto import App, ChildFailed, Context

app = App("crawl")

LINKS = {"/": ["/a", "/b"], "/a": ["/a/1", "/a/2", "/a/3"], "/b": ["/b/1", "/broken"]}


async def find_links(url: str) -> list[str]:
    return LINKS.get(url, [])


@app.task(max_attempts=1)
async def crawl(ctx: Context, url: str) -> int:
    """How many pages there are at and below this one."""
    if url == "/broken":
        raise ConnectionError(f"{url} does not answer")
    links = await ctx.step("links", find_links, url)  # done once, however often this function starts from the top
    below = await ctx.gather(*ctx.map(crawl, links), return_exceptions=True)
    for failed in below:
        if isinstance(failed, ChildFailed):
            ctx.log.warning("left out: %s", failed.error["message"])
    return 1 + sum(count for count in below if isinstance(count, int))


@app.task
def square(n: int) -> int:
    return n * n


@app.task
async def sum_of_squares(ctx: Context, most: int) -> int:
    return sum(await ctx.gather(*ctx.map(square, range(most))))


async def main() -> None:
    async with app.connect() as tn:
        run = await tn.start(crawl, "/")
        print(await run.result(timeout=60), "pages,", len(await run.tasks()), "tasks in one run")

        run = await tn.start(sum_of_squares, 1000)
        print("sum of a thousand squares:", await run.result(timeout=60))


if __name__ == "__main__":
    asyncio.run(main())

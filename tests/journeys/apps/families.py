"""Parents that wait for their children again and again, a limited task, and a sum of what others return."""

from tenuto import App, Context, Limit

app = App("families")


@app.task
async def child(number: int) -> int:
    return number


@app.task(limit=Limit(3))
async def limited(number: int) -> int:
    return number


@app.task
async def parent(ctx: Context, children: int) -> int:
    found = 0
    for _ in range(3):
        found += sum(await ctx.gather(*ctx.map(child, list(range(children)))))
    return found


@app.task
async def total(numbers: list[int]) -> int:
    return sum(numbers)

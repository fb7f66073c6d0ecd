"""A small app that commands are tested with."""

from tenuto import App, Context, Limit

app = App("shop")


@app.task
async def add(x: int, y: int) -> int:
    return x + y


@app.task(max_attempts=1)
def fail(reason: str) -> None:
    raise ValueError(reason)


@app.task
async def tell(ctx: Context, words: str) -> str:
    ctx.log.info(words)
    return words


@app.task(queue="mail", max_attempts=9, priority=4, limit=Limit(2, key="to"))
async def post(to: str) -> str:
    return f"to {to}"

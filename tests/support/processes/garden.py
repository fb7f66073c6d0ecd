"""An app whose tasks start children, wait for signals and leave words wherever a task can leave some."""

from tenuto import App, Context, Limit

app = App("garden")


@app.task
async def grow(seed: str) -> str:
    return seed


@app.task
async def plant(ctx: Context, seeds: list[str]) -> list[str]:
    return await ctx.gather(*(ctx.start(grow, seed) for seed in seeds))


@app.task(limit=Limit(2, key="place"))
async def water(place: str) -> str:
    return place


@app.task
async def ask(ctx: Context) -> object:
    return await ctx.wait("answer", dict[str, int], timeout="1d")


@app.task(max_attempts=1)
async def leave_words(ctx: Context, words: str) -> None:
    """Fails after it has left the words in logs, progress, steps, run data and a side effect."""
    ctx.log.info(words, extra={"words": words})
    ctx.progress(0.5, words)
    await ctx.step(words, lambda: words)
    await ctx.data.put(words, {words: words})
    await ctx.publish("deliver", {"destination": "crm", "body": {words: words}})
    await ctx.start(grow, words)
    await ctx.flush()
    raise ValueError(words)

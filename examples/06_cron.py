"""Schedules: a task with `cron` starts by itself while a worker or a dispatcher is there.

In one terminal, which prints a line every two seconds:  tenuto up examples/06_cron.py
In another, to see what starts by itself and when next:  tenuto schedules list

Schedules stay when their worker ends: it may come back. To be rid of this one: tenuto schedules delete clock.tick
"""

from tenuto import App, Context

app = App("clock")


@app.task(cron="*/2 * * * * *")  # a sixth field in front is seconds; with five, as usual, the first is the minute
async def tick(ctx: Context) -> None:
    print("tick", ctx.metadata.get("fire_time"), flush=True)


@app.task(cron="30 3 * * MON-FRI", timezone="Europe/Berlin", catch_up="skip", jitter="5m")
async def clean_up() -> None:
    """Half past three in the morning in Berlin, or up to five minutes later, so that not everything comes at once.

    What came due while nobody was there to see it is left out; with "one" it is done once, with "all" every time.
    """

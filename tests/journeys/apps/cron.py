"""A task for every minute, and for every one that was missed."""

from tenuto import App
from tests.journeys.apps.world import effect

app = App("cron")


@app.task(cron="* * * * *", catch_up="all")
async def tick() -> None:
    effect("tick")

"""Side effects that tasks publish: once over attempts and retries."""

import asyncio

import pytest

from tenuto import App, Fixed
from tenuto.testing import UnitContext
from tests.support.database.outbox import a_destination, effects
from tests.support.database.tasks import Db

app = App("shop")


@app.task(max_attempts=2, retry=Fixed(0))
async def pay(ctx, order: int) -> list[int]:
    bill = {"destination": "crm", "body": {"order": order}}
    ids = [await ctx.publish("deliver", bill), await ctx.publish("deliver", bill)]
    ids.append(await ctx.publish("deliver", {**bill, "body": ctx.attempt}, key=f"paid-{order}"))
    if ctx.attempt == 1:
        raise ValueError("not yet")
    return ids


@app.task(max_attempts=1)
async def lose(ctx) -> None:
    await ctx.publish("deliver", {"destination": "nowhere", "body": 1})


def test_a_repeated_attempt_publishes_nothing_twice(journey, db: Db):
    a_destination(db)

    async def steps(tn):
        run = await tn.start(pay, 7)
        await tn.work()
        return await run.result()

    ids = journey(app, steps)

    bodies = [payload["body"] for _, payload, _ in effects(db)]
    assert bodies == [{"order": 7}, {"order": 7}, 1]  # two equal ones on purpose, and the first of the key
    assert len(set(ids)) == 3


def test_an_unknown_destination_is_an_error_in_the_task(journey, db: Db):
    async def steps(tn):
        run = await tn.start(lose)
        await tn.work()
        with pytest.raises(Exception, match="no destination 'nowhere'"):
            await run.result()

    journey(app, steps)
    assert effects(db) == []


def test_a_unit_test_sees_what_was_published():
    ctx = UnitContext(attempt=2)

    asyncio.run(pay(ctx, 7))

    assert ctx.published[2] == ("deliver", {"destination": "crm", "body": 2})

"""A client whose database or server cannot be reached says so, soon, and never that a run continues."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from tenuto import App, Client, Unreachable, WaitTimeout
from tenuto.db.connection.errors import AWAY_SECONDS
from tenuto.sdk.client import http_client
from tests.support.faults.closable_proxy import ClosableProxy, a_closable_proxy

app = App("outages")


@app.task
def add(x: int, y: int) -> int:
    return x + y


@pytest.fixture(autouse=True)
def _short_patience(monkeypatch: pytest.MonkeyPatch) -> None:
    assert AWAY_SECONDS <= 5
    for module in ("tenuto.sdk.connect", http_client.__name__):
        monkeypatch.setattr(f"{module}.AWAY_SECONDS", 0.3)


@asynccontextmanager
async def through_a_proxy(way: dict[str, Any]) -> AsyncIterator[tuple[ClosableProxy, Client]]:
    async with a_closable_proxy(way["url"]) as proxy, app.connect(**{**way, "url": proxy.url}) as tn:
        yield proxy, tn


def test_a_wait_that_cannot_see_the_end_of_a_run_does_not_say_that_it_continues(way: dict[str, Any]) -> None:
    async def steps() -> None:
        async with through_a_proxy(way) as (proxy, tn):
            run = await tn.start(add, 1, 2)
            with pytest.raises(WaitTimeout):
                await run.result(timeout=0.2)
            proxy.close()

            with pytest.raises(Unreachable, match=f"it is not known whether run {run.id} has ended: "):
                await run.result(timeout=1)

            proxy.open = True
            assert await run.status() == "pending"
            with pytest.raises(WaitTimeout):
                await run.result(timeout=0.2)

    asyncio.run(steps())


def test_starts_and_reads_fail_while_nothing_can_be_reached_and_work_again_afterwards(way: dict[str, Any]) -> None:
    async def steps() -> None:
        async with through_a_proxy(way) as (proxy, tn):
            run = await tn.start(add, 1, 2)
            proxy.close()
            for call in (lambda: tn.start(add, 1, 2), run.status, lambda: run.result(timeout=1)):
                with pytest.raises(Unreachable):
                    await call()
            proxy.open = True
            assert await (await tn.start(add, 1, 2)).status() == "pending"

    asyncio.run(steps())

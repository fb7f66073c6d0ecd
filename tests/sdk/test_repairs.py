"""Repairs of data through the client, over both transports, asynchronous and synchronous."""

import asyncio
from typing import Any

import pytest

from tenuto import App, Conflict
from tests.support.database.events import a_reader, commit, readers
from tests.support.database.jobs import deployed
from tests.support.database.tasks import Db, a_worker

app = App("shop")
DAYS = ["2026-11-01", "2026-11-02", "2026-11-03"]


def test_missing_partitions_are_found_page_by_page_and_started(way: dict[str, Any], db: Db) -> None:
    deployed(db, readers(a_reader()))
    commit(a_worker(db), *DAYS)

    async def steps() -> None:
        async with app.connect(**way) as tn:
            first = await tn.backfills.reconcile("out_daily", limit=2)
            second = await tn.backfills.reconcile("out_daily", limit=2, after=first.next)
            found = [*first.missing, *second.missing]
            assert [(item.partition, item.state, item.is_fixable) for item in found] == [
                (day, "not_started", True) for day in DAYS
            ]
            assert (first.looked_at, second.looked_at, second.next) == (2, 1, None)
            keys = [str(item.partition) for item in found]
            backfill = await tn.backfills.start("out_daily", partitions=keys)
            assert (backfill.total, backfill.partitions) == (3, DAYS)
            with pytest.raises(Conflict, match="one by one"):
                await tn.backfills.reconcile("raw")

    asyncio.run(steps())
    with app.connect_sync(**way) as tn:
        assert [item.partition for item in tn.backfills.reconcile("out_daily").missing] == DAYS

"""The idle timeout of reactive jobs replaces that of the pools that could run them."""

from typing import Any

import pytest

from tests.support.database.jobs import SALES, deployed
from tests.support.database.pools import a_pool, pool_facts
from tests.support.database.tasks import Db


def with_idle_timeout(text: str) -> dict[str, Any]:
    extract, daily = SALES["jobs"]
    return {**SALES, "jobs": [extract, {**daily, "idle_timeout": text}]}


@pytest.mark.parametrize(("text", "seconds"), [("5m", 300), ("0", 0), ("never", 315_360_000), ("1h30m", 5400)])
def test_a_pool_scales_to_zero_after_the_idle_timeout_of_its_jobs(db: Db, text: str, seconds: float) -> None:
    deployed(db, with_idle_timeout(text))
    ids = [
        a_pool(db, "all", idle_timeout_seconds=7),
        a_pool(db, "default", idle_timeout_seconds=7, queues=["default"]),
        a_pool(db, "other", idle_timeout_seconds=7, queues=["x"]),
        a_pool(db, "types", idle_timeout_seconds=7, types=["a.b"]),
    ]

    assert [pool_facts(db, pool_id).policy.idle_timeout_seconds for pool_id in ids] == [seconds, seconds, 7, 7]


def test_without_such_jobs_the_pool_s_own_counts(db: Db) -> None:
    deployed(db)

    assert pool_facts(db, a_pool(db, idle_timeout_seconds=7)).policy.idle_timeout_seconds == 7

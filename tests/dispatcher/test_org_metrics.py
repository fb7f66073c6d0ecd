"""Metrics of an org: its queues and types by name, but not more of them than a scrape should hold."""

import asyncio
import socket

import pytest

from tenuto.db.connection.pool import open_pool
from tenuto.dispatcher.org_metrics import measure_org
from tenuto.model import metrics
from tenuto.model.metrics import REGISTRY, TaskHistogram, count_ended, serve_metrics
from tests.support.clock import Clock
from tests.support.database.tasks import DEFAULT_ORG, Db, a_worker, call, start

MAIL = {"type": "shop.mail", "queue": "mail"}


def measure(database: str) -> None:
    async def once() -> None:
        async with open_pool(database, size=1) as pool:
            await measure_org(pool, DEFAULT_ORG)

    asyncio.run(once())


def sample(name: str, **labels: str) -> float | None:
    return REGISTRY.get_sample_value(name, labels)


def test_queues_are_measured_by_name_and_vanish_with_their_tasks(db: Db, database: str, clock: Clock) -> None:
    worker = a_worker(db, metadata={"types": ["shop.mail"]})
    start(db, 1, 2, 3, kind=MAIL)
    start(db, 1, kind={"type": "shop.other", "queue": "rest"})
    clock.advance(seconds=2)
    held = worker.claim(2, routes=worker.routes(["mail"], ["shop.mail"]))
    worker.complete(held[0])
    before = sample("tenuto_task_queue_seconds_sum", queue="mail", type="shop.mail") or 0.0

    measure(database)

    assert sample("tenuto_queue_tasks", queue="mail", state="ready") == 1
    assert sample("tenuto_queue_tasks", queue="mail", state="running") == 1
    assert sample("tenuto_oldest_ready_seconds", queue="mail") is not None
    assert sample("tenuto_unserved_tasks", queue="rest", type="shop.other") == 1
    assert sample("tenuto_unserved_tasks", queue="mail", type="shop.mail") is None
    assert sample("tenuto_task_queue_seconds_sum", queue="mail", type="shop.mail") == before + 2
    (row,) = call(db, "sample_queue_times", org_id=DEFAULT_ORG, seconds=5)
    assert (row["queue"], row["type"], row["seconds"]) == ("mail", "shop.mail", 2)
    clock.advance(minutes=1)
    assert call(db, "sample_queue_times", org_id=DEFAULT_ORG, seconds=5) == []


def test_types_and_pools_are_measured_by_name(db: Db, database: str) -> None:
    worker = a_worker(db)
    start(db, 1, 2, 3, kind=MAIL)
    worker.claim(1)
    call(db, "set_pool", org_id=DEFAULT_ORG, name="gpu", policy={"max_workers": 2})
    pool_id = db.execute("select id from tenuto.pools").fetchall()[0][0]
    call(db, "note_pool_problem", org_id=DEFAULT_ORG, pool_id=pool_id, problem="429")

    measure(database)

    assert sample("tenuto_type_tasks", type="shop.mail", state="queued") == 2
    assert sample("tenuto_type_tasks", type="shop.mail", state="running") == 1
    assert sample("tenuto_type_run_seconds", type="shop.mail", quantile="0.95") == 0
    assert sample("tenuto_type_error_rate_percent", type="shop.mail") == 0
    assert sample("tenuto_pool_ready_tasks", pool="gpu") == 2
    assert sample("tenuto_pool_problem", pool="gpu") == 1
    assert sample("tenuto_pool_workers", pool="gpu", status="active") == 0


def test_queues_above_the_limit_are_counted_together(db: Db, database: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tenuto.dispatcher.org_metrics.MAX_QUEUES", 1)
    start(db, 1, 2, kind=MAIL)
    for name in ("a", "b"):
        start(db, 1, kind={"type": "shop.other", "queue": name})

    measure(database)

    assert sample("tenuto_queue_tasks", queue="mail", state="ready") == 2
    assert sample("tenuto_queue_tasks", queue="other", state="ready") == 2
    assert sample("tenuto_queue_tasks", queue="a", state="ready") is None


def test_types_above_the_limit_are_counted_together(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(metrics, "MAX_TYPES", 2)
    histogram = TaskHistogram("tenuto_test_seconds", "A histogram of this test.")
    try:
        for number in range(4):
            histogram.observe("q", f"t{number}", 0.3)
        assert sample("tenuto_test_seconds_count", queue="q", type="t1") == 1
        assert sample("tenuto_test_seconds_count", queue="other", type="other") == 2
        assert sample("tenuto_test_seconds_bucket", queue="q", type="t1", le="0.25") == 0
        assert sample("tenuto_test_seconds_bucket", queue="q", type="t1", le="0.5") == 1
        assert sample("tenuto_test_seconds_sum", queue="q", type="t1") == 0.3
    finally:
        REGISTRY.unregister(histogram)


def test_ended_attempts_are_counted_by_queue_type_and_outcome() -> None:
    count_ended("mail", "shop.counted", "completed", [2.0, 1.0] + [0.0] * 15, 0.01)

    assert sample("tenuto_tasks_ended_total", queue="mail", type="shop.counted", outcome="completed") == 3
    assert sample("tenuto_task_run_seconds_bucket", queue="mail", type="shop.counted", le="0.005") == 2


@pytest.mark.parametrize(("host", "open_to_others"), [("127.0.0.1", False), ("0.0.0.0", True)])  # noqa: S104
def test_metrics_are_served_on_this_machine_unless_told_otherwise(host: str, open_to_others: bool) -> None:
    port = serve_metrics(0) if host == "127.0.0.1" else serve_metrics(0, host)

    with socket.create_connection(("127.0.0.1", port), timeout=10):
        pass
    with socket.socket() as other:  # another address of this machine
        assert (other.connect_ex(("127.0.0.2", port)) == 0) == open_to_others

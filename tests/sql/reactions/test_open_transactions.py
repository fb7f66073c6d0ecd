"""A client's transaction that deploys, cuts over or pauses and stays open: only its own DAG waits for it."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import psycopg
import pytest

from tests.support.database.dags import cutover, deploy
from tests.support.database.events import RAW, a_reader, commit, queued, reactions, readers, route, route_delayed
from tests.support.database.jobs import KEY, deployed
from tests.support.database.outbox import effects
from tests.support.database.schedules import fire
from tests.support.database.tasks import DEFAULT_ORG, Db, a_worker, call

OTHER: dict[str, Any] = {
    "name": "costs",
    "jobs": [
        {**RAW, "name": "read", "outputs": [{"dataset": "bills", **KEY}]},
        a_reader("monthly", inputs=[{"from": {"dataset": "bills"}}]),
        a_reader("margin"),  # reads raw, which the other DAG writes
    ],
}
CRON: dict[str, Any] = {"name": "ticks", "jobs": [{**RAW, "source": {"kind": "cron", "schedule": "0 3 * * *"}}]}


def pause(db: Db) -> None:
    call(db, "pause_job", org_id=DEFAULT_ORG, dag="sales", name="daily")


def resume(db: Db) -> None:
    call(db, "resume_job", org_id=DEFAULT_ORG, dag="sales", name="daily")


def deploy_again(db: Db) -> Any:
    return deploy(db, readers(a_reader(config={"sql": "select 2"})))


@pytest.fixture
def impatient(db: Db) -> Db:
    """A dispatcher's session: a call that waited for another transaction would fail."""
    db.execute("set lock_timeout = '50ms'")
    return db


@pytest.mark.parametrize("change", [pause, deploy_again, lambda db: cutover(db, 1, 2, name="sales")])
def test_an_open_deploy_delays_only_the_events_of_its_own_dag(
    impatient: Db, database: str, change: Callable[[Db], Any]
):
    db = impatient
    deployed(db, readers(a_reader()))
    deployed(db, OTHER)
    deploy(db, readers(a_reader(description="every day")))
    worker = a_worker(db)
    commit(worker, "mon")
    commit(worker, "tue", job="read", dag="costs")

    with psycopg.connect(database) as client:
        change(client)
        assert route(db) == 1
        assert reactions(db) == [("margin", "mon", "triggered"), ("monthly", "tue", "triggered")]
        assert sorted(status for _, _, status in effects(db)) == ["done", "pending"]
        route_delayed(db)  # tried again: still held, and nothing is done twice
        assert len(reactions(db)) == 2

    route_delayed(db)
    expected = "paused" if change is pause else "triggered"
    daily = [("daily", "mon", expected)]
    if change is deploy_again:
        daily.append(("daily", "mon", "paused"))  # of the version that was deployed meanwhile
    assert reactions(db) == [*daily, ("margin", "mon", "triggered"), ("monthly", "tue", "triggered")]
    assert {status for kind, _, status in effects(db) if kind == "route_event"} == {"done"}
    assert len(queued(db)) == 2 + (expected == "triggered")


def test_paused_events_of_a_dag_that_is_being_changed_stay_paused_until_it_is_free(impatient: Db, database: str):
    db = impatient
    deployed(db, readers(a_reader()))
    pause(db)
    commit(a_worker(db), "mon")
    route(db)
    resume(db)

    with psycopg.connect(database) as client:
        deploy_again(client)
        route(db)
        assert reactions(db) == [("daily", "mon", "paused")]
        client.rollback()

    route_delayed(db)
    assert reactions(db) == [("daily", "mon", "triggered")]


def test_a_delayed_event_charges_no_attempt(impatient: Db, database: str):
    db = impatient
    deployed(db, readers(a_reader()))
    commit(a_worker(db), "mon")

    with psycopg.connect(database) as client:
        pause(client)
        for _ in range(25):  # an effect is dead after 20 attempts
            route_delayed(db)
        client.rollback()

    route_delayed(db)
    assert reactions(db) == [("daily", "mon", "triggered")]


def test_builds_go_on_while_another_dag_is_being_changed(impatient: Db, database: str):
    db = impatient
    deployed(db, readers(a_reader()))
    deployed(db, OTHER)
    commit(a_worker(db), "mon", job="read", dag="costs")
    route(db)
    read, monthly, _ = OTHER["jobs"]
    changed = {"name": "costs", "jobs": [read, {**monthly, "config": {"sql": "select 2"}}]}
    assert deploy(db, changed)["status"] == "building"
    (building,) = db.execute("select id::text from tenuto.dag_versions where status = 'building'").fetchall()

    with psycopg.connect(database) as client:
        deploy_again(client)
        assert call(db, "advance_builds", limit=1, keys=list(building)) == 1
    with psycopg.connect(database) as client:
        deploy(client, {**changed, "description": "once more"})
        assert call(db, "advance_builds", limit=1, keys=list(building)) == 0


def test_schedules_fire_while_a_cutover_is_open(impatient: Db, database: str):
    db = impatient
    deployed(db, CRON)
    due = datetime.now(UTC).replace(microsecond=0) - timedelta(minutes=1)
    db.execute("update tenuto.schedules set next_at = %s, starts_after = null", [due])
    deploy(db, {**CRON, "jobs": [{**CRON["jobs"][0], "source": {"kind": "cron", "schedule": "0 4 * * *"}}]})

    with psycopg.connect(database) as client:
        cutover(client, 1, 2, name="ticks")
        assert fire(db, due, due, next_at=due + timedelta(days=1), name="ticks/extract") is None
        client.rollback()

    assert fire(db, due, due, next_at=due + timedelta(days=1), name="ticks/extract")

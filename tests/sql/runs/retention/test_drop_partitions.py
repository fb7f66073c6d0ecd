"""Weeks go when every org's retention is over; open and freshly ended runs stay."""

from datetime import timedelta
from uuid import UUID, uuid4

import psycopg
import pytest
from psycopg.types.json import Jsonb

from tests.support.clock import Clock
from tests.support.database.loops import an_org, run, settle, value
from tests.support.database.old_runs import (
    a_month_ago,
    back_to_now,
    finished_now,
    ids_at,
    make_weeks,
    start_now,
    week_of,
)
from tests.support.database.references import count_references, ids_of
from tests.support.database.tasks import DEFAULT_ORG, a_worker, call, drain, start, start_graph, statuses

TABLES = [
    "event_reactions", "events", "job_tasks", "runs", "task_attempts", "task_dependencies", "task_inputs", "task_logs",
    "task_slots", "tasks",
]  # fmt: skip


@pytest.fixture
def old_week(db: psycopg.Connection, clock: Clock) -> str:
    """The clock stands a month ago, in a week that has partitions."""
    a_month_ago(clock)
    make_weeks(db)
    return week_of(clock.now)


def drop(db: psycopg.Connection, **how: object) -> dict[str, int]:
    return {row["partition"]: row["kept"] for row in call(db, "drop_partitions", **how)}


def partitions(db: psycopg.Connection, week: str) -> list[str]:
    return value(
        db,
        "select coalesce(array_agg(relname::text order by 1), '{}') from pg_class"
        " where relnamespace = 'tenuto'::regnamespace and relkind = 'r' and relname like %s",
        f"%{week}",
    )


def lives_in(db: psycopg.Connection, run_id: UUID) -> str:
    return value(db, "select tableoid::regclass::text from tenuto.runs where id = %s", run_id)


def test_an_old_week_goes_with_the_runs_that_ended_in_it(db: psycopg.Connection, clock: Clock, old_week: str) -> None:
    run_ids = [finished_now(db, clock, size) for size in (1, 3)]
    ids = [found for run_id in run_ids for found in ids_of(db, run_id)]
    assert lives_in(db, run_ids[0]) == f"tenuto.runs_{old_week}"
    back_to_now(clock)

    dropped = drop(db)

    assert [f"{table}_{old_week}" in dropped for table in TABLES] == [True] * len(TABLES)
    assert set(dropped.values()) == {0}
    assert partitions(db, old_week) == []
    assert count_references(db, ids) == {}
    assert drop(db) == {}


def test_an_open_run_survives_whole_and_goes_on(db: psycopg.Connection, clock: Clock, old_week: str) -> None:
    open_run = start_now(db, clock, 3)
    alone = start_now(db, clock, 1)
    gone = finished_now_but(db, clock, leave=[open_run, alone])
    before = count_references(db, [*ids_of(db, open_run), alone])
    back_to_now(clock)

    dropped = drop(db)

    assert (dropped[f"runs_{old_week}"], dropped[f"tasks_{old_week}"]) == (2, 4)
    assert count_references(db, [*ids_of(db, open_run), alone]) == before
    assert lives_in(db, open_run) == "tenuto.runs_default"
    assert run(db, gone) == {}
    drain(db, a_worker(db, lease="1 day"))
    settle(db)
    assert [run(db, run_id)["status"] for run_id in (open_run, alone)] == ["completed"] * 2


def finished_now_but(db: psycopg.Connection, clock: Clock, *, leave: list[UUID]) -> UUID:
    """A finished run, while the first task of each of the others is completed at most."""
    run_id = start_now(db, clock, 1)
    worker = a_worker(db)
    for claim in worker.claim(10):
        if claim.run_id == run_id or claim.run_id == leave[0]:
            worker.complete(claim)
        else:
            worker.interrupt(claim)
    settle(db)
    return run_id


def test_a_run_that_ended_lately_survives_its_week(db: psycopg.Connection, clock: Clock, old_week: str) -> None:
    runs = [start_now(db, clock, 1), start_now(db, clock, 2)]
    back_to_now(clock, days=34)
    drain(db, a_worker(db))
    settle(db)
    back_to_now(clock, days=1)

    drop(db)

    assert [run(db, run_id)["status"] for run_id in runs] == ["completed"] * 2
    assert statuses(db, ids_of(db, runs[1])[1:]) == ["completed"] * 2


def test_a_dry_run_says_what_it_would_do_and_changes_nothing(
    db: psycopg.Connection, clock: Clock, old_week: str
) -> None:
    start_now(db, clock, 3)
    finished = finished_now_but(db, clock, leave=[finished_now(db, clock, 1)])
    back_to_now(clock)
    before = partitions(db, old_week)

    would = drop(db, dry_run=True)

    assert partitions(db, old_week) == before
    assert run(db, finished)["status"] == "completed"
    assert drop(db) == would


def test_the_longest_retention_of_any_org_holds_for_the_week(
    db: psycopg.Connection, clock: Clock, old_week: str
) -> None:
    patient = an_org(db, "patient", retention_days=60)
    mine, theirs = finished_now(db, clock, 1), finished_now(db, clock, 1, org_id=patient)
    back_to_now(clock)

    assert drop(db) == {}
    assert [run(db, run_id)["status"] for run_id in (mine, theirs)] == ["completed"] * 2

    clock.advance(days=35)
    assert f"runs_{old_week}" in drop(db)
    assert run(db, theirs) == {}


def test_a_week_younger_than_asked_for_stays(db: psycopg.Connection, clock: Clock, old_week: str) -> None:
    run_id = finished_now(db, clock, 1)
    back_to_now(clock)

    assert drop(db, keep="60 days") == {}

    assert run(db, run_id)["status"] == "completed"


def test_this_week_and_the_weeks_to_come_stay(db: psycopg.Connection, clock: Clock) -> None:
    make_weeks(db)
    here = partitions(db, week_of(clock.now))
    run_id = finished_now(db, clock, 2)

    assert drop(db) == {}

    assert partitions(db, week_of(clock.now)) == here
    assert run(db, run_id)["status"] == "completed"


def test_while_a_table_is_in_use_the_week_stays_until_the_next_call(
    db: psycopg.Connection, database: str, clock: Clock, old_week: str
) -> None:
    run_id = finished_now(db, clock, 1)
    back_to_now(clock)
    with psycopg.connect(database) as reader:
        reader.execute("select from tenuto.tasks")
        assert drop(db) == {}
    assert run(db, run_id)["status"] == "completed"

    assert f"tasks_{old_week}" in drop(db)


def test_a_surviving_run_can_be_deleted_from_where_it_went(db: psycopg.Connection, clock: Clock, old_week: str) -> None:
    run_id = start_now(db, clock, 2)
    back_to_now(clock)
    drop(db)
    drain(db, a_worker(db))
    settle(db)
    ids = ids_of(db, run_id)

    call(db, "delete_run", org_id=DEFAULT_ORG, run_id=run_id)

    assert count_references(db, ids) == {}


def test_a_run_with_a_random_id_keeps_its_tasks_until_its_own_time_is_over(
    db: psycopg.Connection, clock: Clock, old_week: str
) -> None:
    tasks = ids_at(db, clock.now, 2)
    run_id, _ = start_graph(db, 2, [(0, 1)], ids=tasks, run={"name": "slow", "id": str(uuid4())})
    back_to_now(clock, days=34)
    drain(db, a_worker(db, "late"))
    settle(db)
    clock.advance(days=1)

    drop(db)

    assert partitions(db, old_week) == []
    assert run(db, run_id)["status"] == "completed"
    assert statuses(db, tasks) == ["completed", "completed"]


def test_a_run_whose_id_is_of_the_next_week_keeps_its_tasks(
    db: psycopg.Connection, clock: Clock, old_week: str
) -> None:
    """The id of a run is made after those of its tasks: a start around midnight on Monday has both weeks in it."""
    monday = (clock.now - timedelta(days=clock.now.weekday() - 7)).replace(hour=0, minute=0, second=0, microsecond=0)
    tasks = ids_at(db, monday - timedelta(milliseconds=2), 2)
    (run_id,) = ids_at(db, monday + timedelta(milliseconds=1), 1)
    start_graph(db, 2, [(0, 1)], ids=tasks, run={"name": "late", "id": str(run_id)})
    back_to_now(clock, days=34)
    drain(db, a_worker(db))
    settle(db)
    clock.advance(days=1)

    dropped = drop(db)

    assert dropped[f"tasks_{old_week}"] == 2
    assert run(db, run_id)["status"] == "completed"
    assert statuses(db, tasks) == ["completed", "completed"]


def test_a_week_of_which_too_much_must_stay_is_left_as_it_is(
    db: psycopg.Connection, clock: Clock, old_week: str
) -> None:
    over = finished_now(db, clock, 1)
    many = 5_001
    delayed = Jsonb([{"task": no, "delay_seconds": 60 * 86_400} for no in range(many)])
    start(db, *[None] * many, ids=ids_at(db, clock.now, many), details=delayed)
    back_to_now(clock)

    assert f"tasks_{old_week}" not in drop(db)

    assert len(partitions(db, old_week)) == len(TABLES)
    call(db, "prune_runs")
    assert run(db, over) == {}  # retention holds there too
    assert value(db, "select count(*) from tenuto.delayed_tasks") == many


def test_a_run_that_its_retry_still_copies_stays_with_its_week(
    db: psycopg.Connection, clock: Clock, old_week: str
) -> None:
    run_id, *tasks = ids_at(db, clock.now, 1002)
    start_graph(db, 1001, ids=tasks, run={"id": str(run_id)})
    call(db, "cancel_run", org_id=DEFAULT_ORG, run_id=run_id)
    while call(db, "advance_requests"):
        pass
    settle(db)
    back_to_now(clock)
    again = call(db, "retry_run", org_id=DEFAULT_ORG, run_id=run_id)

    drop(db)
    while call(db, "advance_requests"):
        pass
    settle(db)

    assert (run(db, again)["status"], run(db, again)["total_tasks"]) == ("pending", 1001)

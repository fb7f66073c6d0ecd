"""A row that a loop cannot work on is parked, and the rows of others are served."""

import logging
from datetime import timedelta
from uuid import UUID

import psycopg
import pytest
from psycopg.types.json import Jsonb

from tenuto.db.connection.errors import MissingRight
from tenuto.dispatcher import parking
from tenuto.dispatcher.row_functions import ROW_FUNCTIONS
from tenuto.model.maintenance import DueRow
from tenuto.model.metrics import REGISTRY
from tests.support.clock import Clock
from tests.support.database.loops import an_org, cancel_run, count, value
from tests.support.database.old_runs import a_month_ago, make_weeks, start_now, week_of
from tests.support.database.tasks import DEFAULT_ORG, Db, a_worker, call, run_status, start
from tests.support.faults.failing_loops import CASES, a_delay, a_handler, a_limited_start, a_run_past_its_deadline
from tests.support.faults.failing_rows import cure, poison, turn

DELAYED = "select count(*) from tenuto.delayed_tasks where org_id = %s"


def test_every_loop_whose_rows_can_be_parked_is_poisoned_here():
    assert set(CASES) | {"drop_partitions"} == set(ROW_FUNCTIONS)


@pytest.mark.parametrize("loop", CASES)
def test_a_poisoned_row_of_one_org_is_parked_and_another_orgs_row_is_served(db: Db, database: str, loop: str):
    case = CASES[loop]
    bad, good = an_org(db, "bad"), an_org(db, "good")
    for org in (bad, good):
        case.arrange(db, org)
    poison(db, case.table, bad, on=case.on)

    turn(database, loop)

    assert value(db, case.served, good)
    assert not value(db, case.served, bad)
    parked = "select array_agg(org_id) from tenuto.parked_rows where loop = %s and error ~ 'poisoned'"
    assert value(db, parked, loop) == [bad]

    cure(db, case.table)
    turn(database, loop)
    assert not value(db, case.served, bad), "a parked row waits for its pause"
    db.execute("update tenuto.parked_rows set retry_at = now()")
    turn(database, "retry_parked")
    assert value(db, case.served, bad)
    assert count(db, "parked_rows") == 0


def test_a_week_that_cannot_be_dropped_is_parked_and_the_next_one_goes(db: Db, database: str, clock: Clock):
    a_month_ago(clock)
    make_weeks(db)
    start_now(db, clock, 1)  # is open, so it is moved before its week is dropped
    bad, good = week_of(clock.now), week_of(clock.now + timedelta(weeks=1))
    poison(db, "runs_default", DEFAULT_ORG, on="insert")
    exists = "select to_regclass('tenuto.runs_' || %s) is not null"

    turn(database, "drop_partitions")

    assert (value(db, exists, bad), value(db, exists, good)) == (True, False)
    assert value(db, "select array_agg(key) from tenuto.parked_rows where loop = 'drop_partitions'") == [bad]
    cure(db, "runs_default")
    db.execute("update tenuto.parked_rows set retry_at = now()")
    turn(database, "retry_parked")
    assert (value(db, exists, bad), count(db, "runs")) == (False, 1)


def test_a_row_whose_work_needs_a_lock_that_another_connection_holds_is_parked(db: Db, database: str):
    bad, good = an_org(db, "bad"), an_org(db, "good")
    for org in (bad, good):
        a_run_past_its_deadline(db, org)
    with psycopg.connect(database) as other:
        other.execute("select from tenuto.ready_tasks where org_id = %s for update", [bad])
        for _ in range(2):  # the deadlines of one org at a time
            turn(database, "expire_runs")
        assert value(db, "select count(*) from tenuto.ready_tasks where org_id = %s", good) == 0
        assert value(db, "select sqlstate from tenuto.parked_rows where org_id = %s", bad) == "55P03"
    db.execute("update tenuto.parked_rows set retry_at = now()")
    turn(database, "retry_parked")
    assert count(db, "ready_tasks") == count(db, "parked_rows") == 0


def test_a_poisoned_row_behind_rows_that_the_batch_skips_is_found(db: Db, database: str):
    front, bad, good = [an_org(db, slug) for slug in ("front", "bad", "good")]
    for org in (front, front, front, bad, good):
        a_delay(db, org)
    poison(db, "delayed_tasks", bad)
    with psycopg.connect(database) as other:
        other.execute("select from tenuto.delayed_tasks where org_id = %s for update", [front])
        for _ in range(2):
            turn(database, "promote_due", limit=1)
        assert (value(db, DELAYED, good), value(db, DELAYED, bad), value(db, DELAYED, front)) == (0, 1, 3)
    assert value(db, "select array_agg(org_id) from tenuto.parked_rows") == [bad]


def test_a_row_that_takes_too_long_is_parked(db: Db, database: str, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(parking, "PIECE_SECONDS", 2.0)
    bad, good = an_org(db, "bad"), an_org(db, "good")
    for org in (bad, good):
        a_delay(db, org)
    poison(db, "delayed_tasks", bad, does="perform pg_sleep(60)")

    turn(database, "promote_due")

    assert (value(db, DELAYED, good), value(db, DELAYED, bad)) == (0, 1)
    assert value(db, "select error from tenuto.parked_rows").startswith("the database did not respond within 2 s")


def test_a_flood_of_poisoned_rows_keeps_nobody_waiting_and_is_parked_in_one_turn(db: Db, database: str):
    bad, good = an_org(db, "bad"), an_org(db, "good")
    flood = Jsonb([{"task": number, "delay_seconds": 0.001} for number in range(300)])
    start(db, *range(300), org_id=bad, details=flood)
    a_delay(db, good)
    poison(db, "delayed_tasks", bad)

    turn(database, "promote_due", limit=1000)

    assert value(db, DELAYED, good) == 0
    assert count(db, "parked_rows") == 300


def test_a_healthy_row_beside_poisoned_ones_of_its_org_is_served(db: Db, database: str):
    details = Jsonb([{"task": number, "delay_seconds": 0.001} for number in range(20)])
    tasks = start(db, *range(20), details=details)
    poison(db, "delayed_tasks", tasks[7], column="id")

    turn(database, "promote_due")

    assert value(db, "select array_agg(task_id) from tenuto.parked_rows") == [tasks[7]]
    assert count(db, "delayed_tasks") == 1


def test_no_row_is_parked_when_the_loop_itself_is_broken(db: Db, database: str):
    a_delay(db, DEFAULT_ORG)
    db.execute("revoke execute on function tenuto.promote_due from tenuto_dispatcher")

    with pytest.raises(MissingRight):
        turn(database, "promote_due")

    assert count(db, "parked_rows") == 0


def test_claims_go_on_once_an_arrival_that_nobody_can_follow_is_parked(db: Db, database: str):
    bad, good = an_org(db, "bad"), an_org(db, "good")
    a_limited_start(db, bad)
    poison(db, "limits", bad, on="insert")
    turn(database, "follow_arrivals")
    a_limited_start(db, good)

    assert len(a_worker(db, org_id=good).claim(5)) == 1


def test_claims_go_on_while_an_arrival_that_nobody_can_follow_is_not_parked_yet(db: Db):
    bad, good = an_org(db, "bad"), an_org(db, "good")
    worker = a_worker(db, org_id=good)
    start(db, 1, org_id=good)
    first = worker.claim(5)  # opens the lane
    a_limited_start(db, bad)
    poison(db, "limits", bad, on="insert")
    start(db, 2, org_id=good)

    assert len(first) == len(worker.claim(5)) == 1
    assert count(db, "arrivals") > 0


def test_log_lines_name_org_run_and_task(db: Db, database: str, caplog: pytest.LogCaptureFixture):
    caplog.set_level(logging.INFO)
    a_delay(db, DEFAULT_ORG)
    task = value(db, "select id from tenuto.delayed_tasks")
    poison(db, "delayed_tasks", DEFAULT_ORG)

    turn(database, "promote_due")

    (line,) = [record.getMessage() for record in caplog.records if "parked" in record.getMessage()]
    assert f"org={DEFAULT_ORG} run={task} task={task}" in line
    assert "poisoned row" in line


def test_a_parked_task_says_why_and_can_be_cancelled_and_deleted(db: Db, database: str):
    a_delay(db, DEFAULT_ORG)
    task = value(db, "select id from tenuto.delayed_tasks")
    poison(db, "ready_tasks", DEFAULT_ORG, on="insert")
    turn(database, "promote_due")

    why = call(db, "explain_task", org_id=DEFAULT_ORG, task_id=task)
    assert "promote_due failed on it 1 times and tries again at" in why
    assert "poisoned row" in why
    assert call(db, "get_overview", org_id=DEFAULT_ORG)[0]["parked"] == 1
    assert call(db, "count_parked") == [{"loop": "promote_due", "parked": 1}]
    turn(database, "measure")
    assert REGISTRY.get_sample_value("tenuto_parked_rows", {"loop": "promote_due"}) == 1

    cancel_run(db, task)
    turn(database, "retry_parked")
    assert count(db, "parked_rows") == 0
    assert run_status(db, task) == "cancelled"
    call(db, "delete_run", org_id=DEFAULT_ORG, run_id=task)


def test_a_run_whose_handlers_cannot_be_started_ends_when_it_is_cancelled(db: Db, database: str):
    a_handler(db, DEFAULT_ORG)
    run_id = value(db, "select id from tenuto.runs")
    poison(db, "ready_tasks", DEFAULT_ORG, on="insert")
    turn(database, "settle_runs")
    assert [row["loop"] for row in call(db, "list_parked", org_id=DEFAULT_ORG, run_id=run_id)] == ["settle_runs"]
    assert run_status(db, run_id) == "running"

    cancel_run(db, run_id)
    turn(database, "retry_parked")

    assert run_status(db, run_id) == "completed"
    call(db, "delete_run", org_id=DEFAULT_ORG, run_id=run_id)
    assert count(db, "parked_rows") == 0


def test_pieces_are_of_whole_orgs_and_then_of_rows():
    orgs = [UUID(int=number) for number in range(20)]
    rows = [DueRow(f"{org}-{number}", org, None, None) for org in orgs for number in range(3)]

    pieces = parking.split(rows)
    assert len(pieces) <= parking.PARTS
    assert sum(len({row.org_id for row in piece}) for piece in pieces) == 20
    assert [len(piece) for piece in parking.split(rows[:3])] == [1, 1, 1]

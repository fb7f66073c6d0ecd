"""Final runs go when their org's retention is over, and so does what dropped weeks left behind."""

from datetime import timedelta
from uuid import UUID, uuid4

import psycopg
import pytest
from psycopg.types.json import Jsonb

from bench.growth_retention import KEEP
from tests.support.clock import Clock
from tests.support.database.data_objects import an_object
from tests.support.database.loops import an_org, fenced, run, settle, value
from tests.support.database.old_runs import a_month_ago, back_to_now, finished_now, ids_at, make_weeks
from tests.support.database.references import count_references, ids_of
from tests.support.database.tasks import DEFAULT_ORG, a_worker, call, drain, start_graph, start_one


def prune(db: psycopg.Connection, **how: object) -> tuple[int, int]:
    (row,) = call(db, "prune_runs", **how)
    return row["runs"], row["leftovers"]


def finished(db: psycopg.Connection, size: int = 1, org_id: UUID = DEFAULT_ORG) -> UUID:
    """A finished run with random ids, which lives in the default partition."""
    ids = [uuid4() for _ in range(size)]
    run_id, _ = start_graph(
        db, size, org_id=org_id, ids=ids, run={"name": "r", "id": str(ids[0] if size == 1 else uuid4())}
    )
    drain(db, a_worker(db, "finisher", org_id=org_id, lease="1 day"))
    settle(db)
    assert run(db, run_id)["status"] == "completed"
    return run_id


@pytest.mark.parametrize("size", [1, 3], ids=["a run of one", "a graph"])
def test_a_run_goes_two_weeks_after_its_end(db: psycopg.Connection, clock: Clock, size: int) -> None:
    run_id = finished(db, size)
    ids = ids_of(db, run_id)

    clock.advance(days=14)
    assert prune(db) == (0, 0)
    clock.advance(seconds=1)
    assert prune(db) == (1, 0)

    assert count_references(db, ids) == {}


@pytest.mark.parametrize("size", [1, 3], ids=["a run of one", "a graph"])
def test_an_open_run_stays_however_old_it_is(db: psycopg.Connection, clock: Clock, size: int) -> None:
    run_id, _ = start_graph(db, size, ids=[uuid4() for _ in range(size)])
    worker = a_worker(db, lease="1 day")
    held = worker.claim_one()
    clock.advance(days=1000)

    assert prune(db) == (0, 0)

    worker.complete(held)
    drain(db, worker)
    settle(db)
    assert run(db, run_id)["status"] == "completed"
    assert prune(db) == (0, 0)


def test_each_org_keeps_its_runs_as_long_as_it_says(db: psycopg.Connection, clock: Clock) -> None:
    orgs = {days: an_org(db, f"days-{days}", retention_days=days) for days in (1, 30)}
    runs = {days: finished(db, org_id=org) for days, org in orgs.items()} | {14: finished(db)}
    pruned = []
    for _ in range(40):
        clock.advance(days=1)
        prune(db)
        pruned.append({days for days, run_id in runs.items() if run(db, run_id) == {}})

    assert [len(gone) for gone in pruned].index(1) == 1
    assert pruned[1] == {1}
    assert pruned[14] == {1, 14}
    assert pruned[29] == {1, 14}
    assert pruned[30] == {1, 14, 30}


def test_an_org_that_keeps_less_than_others_is_pruned_inside_the_week(db: psycopg.Connection, clock: Clock) -> None:
    hasty = an_org(db, "hasty", retention_days=2)
    a_month_ago(clock)
    make_weeks(db)
    theirs, mine = finished_now(db, clock, 2, org_id=hasty), finished_now(db, clock, 2)
    clock.advance(days=4)

    assert prune(db) == (1, 0)

    assert run(db, theirs) == {}
    assert run(db, mine)["status"] == "completed"


def test_runs_of_a_week_that_is_to_be_dropped_are_left_to_it_for_a_day(db: psycopg.Connection, clock: Clock) -> None:
    a_month_ago(clock)
    make_weeks(db)
    monday = clock.now - timedelta(days=clock.now.weekday())
    run_id = finished_now(db, clock, 1)
    over = monday.replace(hour=0, minute=0, second=0, microsecond=0) + timedelta(days=7 + 14)

    clock.advance(seconds=(over - clock.now).total_seconds() + 3600)
    assert prune(db) == (0, 0)
    clock.advance(days=1)
    assert prune(db) == (1, 0)  # it was not dropped, as when too much in it is still open

    assert run(db, run_id) == {}


def test_nothing_that_is_kept_is_read_to_find_what_is_over(db: psycopg.Connection, clock: Clock) -> None:
    old = finished(db)
    clock.advance(days=15)
    db.execute(KEEP, {"n": 2000, "org": DEFAULT_ORG})
    before = rows_read(db)

    assert prune(db) == (1, 0)

    assert rows_read(db) - before < 200
    assert run(db, old) == {}


def rows_read(db: psycopg.Connection) -> int:
    """How many rows of the default partitions were read so far."""
    db.execute("select pg_stat_force_next_flush()")
    tables = "'runs_default', 'tasks_default', 'task_attempts_default'"
    counted = "sum(seq_tup_read + coalesce(idx_tup_fetch, 0))::int"
    return value(db, f"select {counted} from pg_stat_user_tables where relname in ({tables})")


def test_a_dry_run_answers_the_same_and_changes_nothing(db: psycopg.Connection, clock: Clock) -> None:
    runs = [finished(db) for _ in range(3)]
    clock.advance(days=20)

    assert [prune(db, dry_run=True) for _ in range(2)] == [(3, 0)] * 2
    assert [run(db, run_id)["status"] for run_id in runs] == ["completed"] * 3

    assert prune(db) == (3, 0)
    assert prune(db, dry_run=True) == (0, 0)


def test_no_more_runs_are_pruned_than_asked_for(db: psycopg.Connection, clock: Clock) -> None:
    for _ in range(3):
        finished(db)
    clock.advance(days=20)

    assert [prune(db, limit=2) for _ in range(3)] == [(2, 0), (1, 0), (0, 0)]


def test_the_dedupe_key_of_a_pruned_run_is_free_again(db: psycopg.Connection, clock: Clock) -> None:
    first = start_one(db, dedupe_keys=["k"], ids=[uuid4()])
    drain(db, a_worker(db, lease="1 day"))
    clock.advance(days=20)
    assert start_one(db, dedupe_keys=["k"]) == first

    prune(db)

    assert start_one(db, dedupe_keys=["k"]) != first


def a_run_that_leaves_things_behind(db: psycopg.Connection, clock: Clock) -> UUID:
    """Data, a signal, steps, a child, a reference, an output and a dedupe key, all of the clock's time."""
    worker = a_worker(db, "busy", lease="1 day")
    run_id, *tasks = ids_at(db, clock.now, 2)
    about = {"name": "r", "id": str(run_id), "dedupe_key": "k", "outputs": [{"task": 0}], "max_attempts": 2}
    start_graph(db, 1, ids=tasks, run=about)
    call(db, "put_run_data", org_id=DEFAULT_ORG, run_id=run_id, values={"k": 1})
    call(db, "send_signal", org_id=DEFAULT_ORG, run_id=run_id, name="go")
    thing = an_object(db)
    call(db, "reference_object", org_id=DEFAULT_ORG, object_id=thing, holder="run", holder_id=run_id)
    held = worker.claim_one()
    call(db, "take_signal", **fenced(worker, held, step_no=1, name="go"))
    worker.start_children(held, 1, ids=ids_at(db, clock.now, 1))
    worker.complete(held)
    drain(db, worker)
    settle(db)
    assert run(db, run_id)["status"] == "completed"
    return run_id


def test_what_a_dropped_week_left_behind_is_pruned(db: psycopg.Connection, clock: Clock) -> None:
    a_month_ago(clock)
    make_weeks(db)
    run_id = a_run_that_leaves_things_behind(db, clock)
    ids = ids_of(db, run_id)
    back_to_now(clock)
    call(db, "drop_partitions")
    left = count_references(db, ids)
    assert {"dedupe_keys", "run_data", "signals", "task_steps", "run_slots", "data_references", "task_parents"} == set(
        left
    )

    assert prune(db, dry_run=True) == (0, sum(left.values()))
    assert count_references(db, ids) == left
    assert prune(db) == (0, sum(left.values()))

    assert count_references(db, ids) == {}
    assert prune(db) == (0, 0)
    assert run(db, start_graph(db, 1, run={"name": "r", "dedupe_key": "k"})[0])["status"] == "pending"


def test_what_belongs_to_a_run_that_is_there_stays(db: psycopg.Connection, clock: Clock) -> None:
    a_month_ago(clock)
    run_id = ids_at(db, clock.now, 1)[0]
    start_graph(db, 1, ids=[run_id], run={"name": "open", "dedupe_key": "k"})
    call(db, "put_run_data", org_id=DEFAULT_ORG, run_id=run_id, values={"k": 1})
    start_one(db, details=Jsonb([{"task": 0, "delay_seconds": 1}]))
    before = count_references(db, [run_id])
    back_to_now(clock)

    assert prune(db) == (0, 0)

    assert count_references(db, [run_id]) == before


def test_random_task_ids_of_a_run_that_went_with_its_week_go_too(db: psycopg.Connection, clock: Clock) -> None:
    a_month_ago(clock)
    make_weeks(db)
    (run_id,) = ids_at(db, clock.now, 1)
    start_graph(db, 2, [(0, 1)], ids=[uuid4(), uuid4()], run={"name": "r", "id": str(run_id)})
    drain(db, a_worker(db, "finisher"))
    settle(db)
    ids = ids_of(db, run_id)
    back_to_now(clock)
    call(db, "drop_partitions")

    assert prune(db, dry_run=True) == (0, 2)
    assert prune(db) == (0, 2)

    assert prune(db) == (0, 0)
    assert count_references(db, ids) == {}

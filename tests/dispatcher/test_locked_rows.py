"""Rows that another transaction has locked, or that are parked, never hide the rows behind them from a loop."""

import psycopg
import pytest
from psycopg.types.json import Jsonb

from tenuto.dispatcher.loops import LOOPS
from tests.support.database.limits import a_key
from tests.support.database.loops import an_org, value
from tests.support.database.outbox import publish, take
from tests.support.database.tasks import DEFAULT_ORG, Db, call, start_one
from tests.support.faults.failing_loops import CASES, a_build
from tests.support.faults.failing_rows import park, turn

IN_FRONT = 3  # with a batch of one row

# Loops that take no rows one after the other, or whose rows no other transaction keeps locked.
OTHERS = {
    "beat_dispatcher": "one row, of this dispatcher",
    "end_leases": "one list of sessions; skips locked ones (tests/sql/workers/test_end_leases.py)",
    "control_pools": "takes all pools at once",
    "measure": "reads only",
    "vacuum": "no rows",
    "move_floors": "moves the floors of all lanes that it can lock",
    "roll_up_activity": "one row, the position",
    "create_partitions": "no rows",
    "drop_partitions": "locks all weekly tables together, or none",
    "retry_parked": "below",
    "collect_staging": "below",
}
NOT_LOCKED = {
    "sign_heads": "adds rows and locks none",
    "sweep_jobs": "takes orgs at random, and parks those whose jobs are locked",
    "sweep_runs": "locks nothing",
    "sweep_limits": "repairs all limits at once, and parks those whose slots are locked",
}
PAGED = {"sweep_tasks", "sweep_runs"}  # look at one page per turn, and continue behind it in the next
LOCKS = [
    (loop, table) for loop, case in CASES.items() if loop not in NOT_LOCKED for table in case.locks or [case.table]
]


def test_every_loop_is_named_here():
    assert {*CASES, *OTHERS} == {loop.name for loop in LOOPS}


def take_turns(database: str, loop: str) -> None:
    for _ in range(IN_FRONT + 1 if loop in PAGED else 1):
        turn(database, loop, limit=1)


@pytest.mark.parametrize(("loop", "table"), LOCKS)
def test_locked_rows_in_front_do_not_hide_the_next_row(db: Db, database: str, loop: str, table: str):
    case = CASES[loop]
    front, good = [an_org(db, f"front-{number}") for number in range(IN_FRONT)], an_org(db, "good")
    for org in (*front, good):
        case.arrange(db, org)

    with psycopg.connect(database) as other:
        locked = other.execute(f"select from tenuto.{table} where org_id = any (%s) for update".encode(), [front])
        assert locked.rowcount >= IN_FRONT
        take_turns(database, loop)
        assert value(db, case.served, good)
        assert not any(value(db, case.served, org) for org in front)
    assert value(db, "select count(*) from tenuto.parked_rows") == 0


@pytest.mark.parametrize("loop", CASES)
def test_parked_rows_in_front_do_not_hide_the_next_row(db: Db, database: str, loop: str):
    case = CASES[loop]
    front, good = [an_org(db, f"front-{number}") for number in range(IN_FRONT)], an_org(db, "good")
    for org in (*front, good):
        case.arrange(db, org)
    rows = [row for row in call(db, "pick_rows", loop=loop, limit=1000) if row["org_id"] in front]
    assert len(rows) >= IN_FRONT
    ids = {name: [row[name[:-1]] for row in rows] for name in ("org_ids", "run_ids", "task_ids")}
    texts = {"errors": ["boom"] * len(rows), "sqlstates": ["XX000"] * len(rows)}
    call(db, "park_rows", loop=loop, keys=[row["key"] for row in rows], **ids, **texts)

    take_turns(database, loop)

    assert value(db, case.served, good)
    assert not any(value(db, case.served, org) for org in front)


def test_arrivals_of_locked_limits_do_not_hide_the_next_arrival(db: Db, database: str):
    front, good = [an_org(db, f"front-{number}") for number in range(IN_FRONT)], an_org(db, "good")
    a_task = Jsonb([{"task": 0, "limits": [a_key("db", 2)]}])
    for org in (*front, good):
        start_one(db, org_id=org, details=a_task)
    while value(db, "select count(*) from tenuto.arrivals"):  # creates the limits, then the lanes
        call(db, "follow_arrivals")
    for org in (*front, good):
        start_one(db, org_id=org, details=a_task)
    ready = "select count(*) from tenuto.ready_tasks where org_id = %s"

    with psycopg.connect(database) as other:
        other.execute("select from tenuto.limits where org_id = any (%s) for update", [front])
        for _ in range(2):  # one arrival each, and the first one may be that of a lane
            turn(database, "follow_arrivals", limit=1)
        assert [value(db, ready, org) for org in (*front, good)] == [*[1] * IN_FRONT, 2]
    turn(database, "follow_arrivals")
    assert [value(db, ready, org) for org in front] == [2] * IN_FRONT


def test_tasks_whose_children_are_locked_do_not_hide_the_next_waiting_task(db: Db, database: str):
    case = CASES["wake_waiting"]
    front, good = [an_org(db, f"front-{number}") for number in range(IN_FRONT)], an_org(db, "good")
    for org in (*front, good):
        case.arrange(db, org)
    db.execute("insert into tenuto.task_parents (id, org_id, open) select id, org_id, 1 from tenuto.waiting_tasks")

    with psycopg.connect(database) as other:
        other.execute("select from tenuto.task_parents where org_id = any (%s) for update", [front])
        turn(database, "wake_waiting", limit=1)
        assert value(db, case.served, good)
        assert not any(value(db, case.served, org) for org in front)


def test_a_thousand_locked_builds_do_not_hide_the_next_one(db: Db, database: str):
    a_build(db, DEFAULT_ORG)
    db.execute(MANY_BUILDS)
    first = value(db, "select dag_version_id from tenuto.builds order by due_at desc nulls last limit 1")

    with psycopg.connect(database) as other:
        other.execute("select from tenuto.builds where dag_version_id <> %s for update", [first])
        assert call(db, "advance_builds") == 1


MANY_BUILDS = """
with version as (
  insert into tenuto.dag_versions
  select p.*
  from (select v.* from tenuto.dag_versions v join tenuto.builds b on b.dag_version_id = v.id where b.due_at is not null
        limit 1) v
  cross join generate_series(1, 1001) n
  cross join lateral jsonb_populate_record(null::tenuto.dag_versions, to_jsonb(v) || jsonb_build_object(
    'id', gen_random_uuid(), 'version', 100 + n, 'yaml_hash', lpad(n::text, 64, '0'), 'status', 'staged')) p
  returning id, org_id
)
insert into tenuto.builds (dag_version_id, org_id, phase, due_at)
select id, org_id, 'start', now() - interval '1 hour' from version
"""


def test_destinations_whose_effects_are_not_due_do_not_hide_the_next_one(db: Db):
    *_, due = publish(db, *range(20))
    db.execute(
        "update tenuto.outbox set destination = 'd' || lpad(id::text, 9, '0'),"
        " available_at = now() + case when id = %s then '0' else interval '1 hour' end",
        [due],
    )

    assert take(db, limit=1) == [due]


def test_locked_parked_rows_do_not_hide_the_next_one(db: Db, database: str):
    park(db, "promote_due", "a", "b", "c", "d")
    db.execute(
        "update tenuto.parked_rows set retry_at = now() - interval '1 hour' + (ascii(key) * interval '1 second')"
    )

    with psycopg.connect(database) as other:
        other.execute("select from tenuto.parked_rows where key <> 'd' for update")
        (taken,) = call(db, "take_parked", loops=["promote_due"], limit=1)
    assert taken["key"] == "d"


def test_locked_dataset_versions_do_not_hide_the_next_one(db: Db, database: str):
    a_build(db, DEFAULT_ORG)
    db.execute("update tenuto.dataset_versions set staging_checked_at = now() - interval '2 days'")
    last = value(db, "select id from tenuto.dataset_versions order by id desc limit 1")

    with psycopg.connect(database) as other:
        other.execute("select from tenuto.dataset_versions where id <> %s for update", [last])
        (taken,) = call(db, "take_staging_checks", limit=1)
    assert taken["version_id"] == last


def test_locked_row_sets_do_not_hide_the_next_one(db: Db, database: str):
    a_build(db, DEFAULT_ORG)
    db.execute(
        "insert into tenuto.row_sets (id, org_id, dataset_version_id, location, task_id, attempt, pages, created_at)"
        " select tenuto._uuid7(), v.org_id, v.id, 'x/' || n || '/', tenuto._uuid7(), 1, 0, now() - interval '2 days'"
        " from (select * from tenuto.dataset_versions limit 1) v cross join generate_series(1, 4) n"
    )

    with psycopg.connect(database) as other:
        other.execute("select from tenuto.row_sets where location <> 'x/4/' for update")
        assert call(db, "collect_rows", limit=1) == 1

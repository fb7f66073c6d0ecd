"""Rows that another transaction has locked, or that are parked, never hide the rows behind them from a loop."""

import psycopg
import pytest

from tenuto.dispatcher.loops import LOOPS
from tests.support.database.loops import an_org, value
from tests.support.database.tasks import Db, call
from tests.support.faults.failing_loops import CASES
from tests.support.faults.failing_rows import turn

IN_FRONT = 3  # with a batch of one row

# Loops that take no rows one after the other, or whose rows no other transaction keeps locked.
OTHERS = {
    "beat_dispatcher": "one row, of this dispatcher",
    "control_pools": "takes all pools at once: tests/sql/workers/pools/test_take_pools.py",
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
    "sweep_limits": "repairs all limits at once, and parks those whose slots are locked",
}
LOCKS = [
    (loop, table) for loop, case in CASES.items() if loop not in NOT_LOCKED for table in case.locks or [case.table]
]


def test_every_loop_is_named_here():
    assert {*CASES, *OTHERS} == {loop.name for loop in LOOPS}


@pytest.mark.parametrize(("loop", "table"), LOCKS)
def test_locked_rows_in_front_do_not_hide_the_next_row(db: Db, database: str, loop: str, table: str):
    case = CASES[loop]
    front, good = [an_org(db, f"front-{number}") for number in range(IN_FRONT)], an_org(db, "good")
    for org in (*front, good):
        case.arrange(db, org)

    with psycopg.connect(database) as other:
        locked = other.execute(f"select from tenuto.{table} where org_id = any (%s) for update".encode(), [front])
        assert locked.rowcount >= IN_FRONT
        turn(database, loop, limit=1)
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

    turn(database, loop, limit=1)

    assert value(db, case.served, good)
    assert not any(value(db, case.served, org) for org in front)

"""A claim of Headless-WGP reads the first tasks of its lanes, however many wait behind them."""

import psycopg
from psycopg.types.json import Jsonb

from tests.plans.crowd import COPY_ROWS
from tests.plans.plans import explained
from tests.support.database.compat import claim_wgp, insert_wgp, wgp_task

MANY = 20_000


def test_a_claim_and_a_look_at_one_task_read_a_few_rows_of_many(db: psycopg.Connection) -> None:
    first = insert_wgp(db, "travel")
    insert_wgp(db, "edit")
    claim_wgp(db, "gpu-0")
    db.execute("set session_replication_role = replica")  # without the triggers of test databases
    [(seq,)] = db.execute("select max(seq) from tenuto.ready_tasks").fetchall()
    db.execute(COPY_ROWS.format(table="pending_tasks").encode(), {"size": MANY, "more": Jsonb({"remaining": 1})})
    db.execute(
        "insert into tenuto.ready_tasks"
        " (seq, queued_at, id, org_id, run_id, route_id, group_no, priority, attempt, flags)"
        " select %s + n, r.queued_at, gen_random_uuid(), r.org_id, r.run_id, r.route_id, r.group_no, r.priority, 0, 1"
        " from (select * from tenuto.ready_tasks limit 1) r, generate_series(1, %s) n",
        [seq, MANY],
    )

    with explained(db) as plans:
        assert claim_wgp(db, "gpu-1")["task_type"] == "edit"
        assert wgp_task(db, first)["status"] == "In Progress"

    assert plans.read("ready_tasks") < 20
    assert plans.scans_of_all("ready_tasks", "tasks", "pending_tasks") == []

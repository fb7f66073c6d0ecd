"""A crowd that stands in front of every claim: tasks nobody here serves, delayed, limited, waiting, done."""

from psycopg import Connection
from psycopg.types.json import Jsonb

from tests.support.database.tasks import DEFAULT_ORG, a_worker, start

SIZE = 20_000
RUNS = 100_000  # of fewer, and with the statistics of none, the planner takes all and sorts them
SERVED = {"type": "app.served"}
HOT_TABLES = [
    f"tenuto.{name}"
    for name in (
        "tasks", "runs", "task_attempts", "ready_tasks", "ready_lanes", "pending_tasks", "delayed_tasks",
        "waiting_tasks", "running_tasks", "run_counts", "routes", "sessions", "workers", "limit_slots", "limits",
    )
]  # fmt: skip

# Rows for the other hot tables, made of a ready one: only how many there are matters here.
COPY_ROWS = """
insert into tenuto.{table}
select p.*
from (select * from tenuto.ready_tasks limit 1) r
cross join (select gen_random_uuid() as id from generate_series(1, %(size)s)) n
cross join lateral jsonb_populate_record(null::tenuto.{table}, to_jsonb(r) || to_jsonb(n) || %(more)s) p
"""
COPY_RUNS = """
insert into tenuto.runs
select p.*
from (select * from tenuto.runs limit 1) r
cross join lateral (  -- of the same moment
  select overlay(r.id::text placing right(gen_random_uuid()::text, 17) from 20) as id
  from generate_series(1, %(size)s)) n
cross join lateral jsonb_populate_record(null::tenuto.runs, to_jsonb(r) || to_jsonb(n)) p
"""
CROWDS = {
    "delayed_tasks": {"available_at": "2100-01-01", "reason": "delay"},
    "waiting_tasks": {"waits_for": "time", "wake_at": "2100-01-01", "waiting_at": "2026-01-01", "seq": 1},
    "pending_tasks": {"remaining": 1},
    "running_tasks": {"started_at": "2026-01-01", "claim_no": 1, "cancel": False},
}


def fill(db: Connection) -> None:
    """Partly straight into the tables, since it is only there to be stepped around."""
    start(db, 1, kind={"type": "app.unserved", "queue": "elsewhere"})
    busy = a_worker(db, "busy", lease="1 day")
    for table, more in CROWDS.items():
        statement = COPY_ROWS.format(table=table).encode()
        db.execute(statement, {"size": SIZE // 4, "more": Jsonb({**more, "session_id": busy.session_id})})
    db.execute(COPY_RUNS, {"size": RUNS})
    for _ in range(4):
        start(db, *range(SIZE // 4), kind={"type": "app.unserved", "queue": "elsewhere"})
    limited = [{"task": n, "limits": [{"scope": "key", "key": "k", "size": 1}]} for n in range(2000)]
    start(db, *range(2000), kind=SERVED, details=Jsonb(limited))
    done = start(db, *range(SIZE // 4), kind={"type": "app.done"})
    worker = a_worker(db, "history")
    while claims := worker.claim(5000, routes=routes_of(db, "app.done")):
        worker.complete(*claims)
    assert len(done) == SIZE // 4


def routes_of(db: Connection, *types: str) -> list[int]:
    rows = db.execute(
        "select id from tenuto.routes where org_id = %s and type = any (%s)", [DEFAULT_ORG, list(types)]
    ).fetchall()
    return [row[0] for row in rows]

"""Routes events as dispatchers do, and reads what they did to jobs."""

from typing import Any
from uuid import UUID

from psycopg.types.json import Jsonb

from tests.support.database.jobs import KEY, publication, trigger
from tests.support.database.outbox import take
from tests.support.database.tasks import Claim, Db, Worker, call

RAW = {
    "name": "extract",
    "activation": "source",
    "operator": "python",
    "source": {"kind": "manual"},
    "config": {"task": "shop.extract"},
    "outputs": [{"dataset": "raw", **KEY}],
}

NO_OUTPUT: dict[str, Any] = {"operator": "python", "config": {"task": "shop.report"}, "outputs": []}


def a_reader(name: str = "daily", **changes: Any) -> dict[str, Any]:
    """A job that reads `raw` and writes a dataset of its own name."""
    return {
        "name": name,
        "activation": "reactive",
        "operator": "sql",
        "execution_strategy": "PerPartition",
        "inputs": [{"from": {"dataset": "raw"}}],
        "config": {"sql": "select 1"},
        "outputs": [{"dataset": f"out_{name}", **KEY}],
        **changes,
    }


def readers(*jobs: dict[str, Any], name: str = "sales", source: dict[str, Any] | None = None) -> dict[str, Any]:
    """A DAG of a source that writes `raw`, and jobs that read it."""
    return {"name": name, "jobs": [RAW if source is None else source, *jobs]}


def route(db: Db, owner: str = "one", *, limit: int = 1000, turns: int = 20) -> int:
    """Routes until nothing is left to route; returns how many turns that took."""
    for turn in range(turns):
        ids = take(db, owner, kinds=("route_event",), limit=100)
        if not ids:
            return turn
        call(db, "route_events", owner=owner, ids=ids, limit=limit)
    raise AssertionError(f"not routed after {turns} turns")


def route_delayed(db: Db) -> None:
    """Routes also what waits for a later try, because its DAG was being changed."""
    db.execute("update tenuto.outbox set available_at = tenuto.now() where status = 'pending'")
    route(db)


def commit(
    worker: Worker, *partitions: str | None, job: str = "extract", dag: str = "sales", fingerprint: str | None = None
) -> Claim:
    """Runs a task of a source that publishes these partitions. Tasks of operators other than its own stay queued."""
    (task,) = trigger(worker.db, job, dag=dag)
    claim = claim_like(worker, task["task_id"])
    entries = [publication(claim, key) for key in partitions or (None,)]
    if fingerprint is not None:
        entries = [{**entry, "fingerprint": fingerprint * 64} for entry in entries]
    assert worker.complete(claim, published=[entries]) == ["accepted"]
    return claim


def claim_like(worker: Worker, task_id: UUID) -> Claim:
    """Claims a queued task by its route."""
    rows = worker.db.execute("select route_id from tenuto.ready_tasks where id = %s", [task_id]).fetchall()
    return next(claim for claim in worker.claim(100, routes=[row[0] for row in rows]) if claim.task_id == task_id)


REACTIONS = """
select j.name, coalesce(nullif(e.partition_key, ''), '-') as event, r.reaction, r.task_id, r.reason, v.version
from tenuto.event_reactions r
join tenuto.events e on e.id = r.event_id
join tenuto.jobs j on j.id = r.job_id
join tenuto.dag_versions v on v.id = r.dag_version_id
order by e.id, j.name, v.version
"""


def reactions(db: Db) -> list[tuple[str, str, str]]:
    """(job, partition of the event, reaction) of all, in the order of the events."""
    return [row[:3] for row in db.execute(REACTIONS).fetchall()]


def reasons(db: Db) -> list[str | None]:
    return [row[4] for row in db.execute(REACTIONS).fetchall()]


def versions(db: Db) -> list[tuple[int, str]]:
    """(version of the DAG, reaction) of all."""
    return [(row[5], row[2]) for row in db.execute(REACTIONS).fetchall()]


def queued(db: Db) -> list[tuple[str, str, bool]]:
    """(job, partition, rebuild) of the tasks that wait for a worker."""
    return db.execute(
        """select t.input #>> '{job,job}', j.partition_key, j.rebuild
           from tenuto.job_tasks j join tenuto.tasks t on t.id = j.task_id
           where exists (select from tenuto.ready_tasks r where r.id = j.task_id)
              or exists (select from tenuto.waiting_tasks w where w.id = j.task_id)
           order by j.task_id"""
    ).fetchall()


def queue_effect(db: Db, payload: object) -> None:
    """An effect of the kind route_event with any payload."""
    db.execute("select tenuto._publish('00000000-0000-7000-8000-000000000001', 'route_event', %s)", [[Jsonb(payload)]])

"""An org with a row in every table, and a role that acts for one org at a time."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from uuid import UUID

import psycopg
from psycopg.types.json import Jsonb

from tests.dag.documents import with_job
from tests.support.database.alerts import a_firing_alert
from tests.support.database.dags import deploy
from tests.support.database.events import route
from tests.support.database.jobs import publish
from tests.support.database.loops import fenced
from tests.support.database.open_runs import open_run
from tests.support.database.schedules import put
from tests.support.database.tasks import Db, a_worker, call, start, start_graph
from tests.support.database.users import an_org_with_users

TENANT_TABLES = """
select c.relname::text, a.attname::text
from pg_class c
join pg_attribute a on a.attrelid = c.oid and not a.attisdropped
 and a.attname = case when c.relname = 'orgs' then 'id' else 'org_id' end
where c.relnamespace = 'tenuto'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
order by 1
"""


def tenant_tables(db: Db) -> list[tuple[str, str]]:
    """Every table that belongs to orgs, and the column that says to which."""
    return db.execute(TENANT_TABLES).fetchall()


@contextmanager
def acting_for(db: Db, org_id: UUID) -> Iterator[Db]:
    """One transaction for an org, as the server makes one per request."""
    with db.transaction():
        db.execute("select set_config('tenuto.org_id', %s, true)", [str(org_id)])
        yield db


def a_busy_org(db: Db, slug: str) -> UUID:
    """An org with at least one row in every tenant table."""
    org = call(db, "create_org", slug=slug)
    limit = [{"scope": "key", "key": "k", "size": 1}]
    thing = call(db, "put_object", org_id=org, type="blob", payload=b"x")
    call(db, "place_object", org_id=org, object_id=thing, addresses=["a"])
    _finished_work(db, org, thing)
    run_id, child = _running_work(db, org)
    open_run(db, org_id=org, name="open", deadline_seconds=3600)
    open_run(db, org_id=org, name="held", hold=True)
    call(db, "put_destination", org_id=org, name="hook", url="https://example.com", secret=b"sealed")

    start(db, 1, 2, org_id=org, dedupe_keys=[f"{slug}-1", f"{slug}-2"], kind={"type": "app.ready"})
    details = [{"task": 0, "limits": limit}, {"task": 1, "delay_seconds": 60}]
    start(db, 1, 2, org_id=org, details=Jsonb(details), kind={"type": "app.rest"})
    start_graph(db, 2, [(0, 1)], org_id=org, kinds=[{"type": "app.pending"}])
    call(db, "cancel_task", org_id=org, task_id=child)
    call(db, "send_signal", org_id=org, run_id=run_id, name="go")
    call(db, "put_run_data", org_id=org, run_id=run_id, values={"k": 1})
    call(db, "set_task_metadata", org_id=org, task_id=child, changes={"k": 1})
    put(db, datetime.now(UTC), org_id=org)
    call(db, "set_limit", org_id=org, scope="queue", key="rare", size=2)
    a_used_rate(db, org)
    note_an_input(db, org, child)
    a_scaled_pool(db, org)
    rows_of_loops(db, org, run_id)
    a_bundle(db, org)
    call(db, "beat_worker", org_id=org, worker_id="external", logs=Jsonb([{"message": "hello"}]))
    deploy(db, org_id=org)
    call(db, "cutover_dag", org_id=org, name="orders", expected=0, actor="ann")
    _published_data(db, org)
    db.execute(
        "insert into tenuto.webhooks (org_id, job_key, path, created_at)"
        " select org_id, job_key, '/new', tenuto.now() from tenuto.job_controls where org_id = %s limit 1",
        [org],
    )
    a_backfill(db, org)
    recorded_lineage(db, org)
    a_firing_alert(db, org)
    an_org_with_users(db, org, slug)
    return org


def recorded_lineage(db: Db, org: UUID) -> None:
    """Lineage of a dataset version, the backlog of its job, and a change for its readers, as functions write them."""
    statements = [
        "insert into tenuto.table_lineage select %(org)s, id, id, dataset_id, now() from version",
        "insert into tenuto.lineage_methods"
        " select %(org)s, id, 'sql', 'exact', 'x', tenuto._uuid7(), now() from version",
        "insert into tenuto.column_lineage select %(org)s, id, 'a', dataset_id, 'b', 'direct', null from version",
    ]
    version = "with version as (select id, dataset_id from tenuto.dataset_versions where org_id = %(org)s limit 1) "
    for statement in statements:
        db.execute((version + statement).encode(), {"org": org})
    db.execute(
        "insert into tenuto.reader_updates (dag_version_id, dataset_id, org_id, old_version_ids)"
        " select v.id, d.dataset_id, v.org_id, array[d.id] from tenuto.dag_versions v"
        " join tenuto.dataset_versions d on d.org_id = v.org_id where v.org_id = %s limit 1",
        [org],
    )
    db.execute(
        "insert into tenuto.job_backlogs (org_id, job_key, max_depth, max_age_seconds, due_at)"
        " select org_id, job_key, 1, 1, now() from tenuto.job_controls where org_id = %s limit 1",
        [org],
    )


def a_backfill(db: Db, org: UUID) -> None:
    name = next(row["name"] for row in call(db, "list_datasets", org_id=org) if row["job"] == "extract")
    id = call(db, "start_backfill", org_id=org, dataset=name, partitions=["new"])
    call(db, "advance_backfills", keys=[str(id)])
    call(db, "invalidate_dataset", org_id=org, dataset=name, reason="x", first="a", last="z")


def _published_data(db: Db, org: UUID) -> None:
    call(db, "trigger_job", org_id=org, dag="orders", name="extract")
    worker = a_worker(db, "publisher", org_id=org)
    (claim,) = worker.claim(1, routes=worker.routes(types=["tenuto.python.shop.extract"]))
    publish(worker, claim, "mon")
    db.execute(
        "insert into tenuto.row_sets"
        " (id, org_id, dataset_version_id, location, task_id, attempt, pages, created_at)"
        " select tenuto._uuid7(), org_id, dataset_version_id, location, task_id, attempt, 1, tenuto.now()"
        " from tenuto.partition_versions where org_id = %s",
        [org],
    )
    call(db, "pause_job", org_id=org, dag="orders", name="daily")  # the event waits, and starts no task
    route(db)
    edited = deploy(db, with_job("daily", config={"sql": "select 2"}), org_id=org)  # it has `mon` to compute
    db.execute(
        "insert into tenuto.build_tasks (dag_version_id, task_id, org_id)"
        " select id, id, org_id from tenuto.dag_versions where org_id = %s and version = %s",
        [org, edited["version"]],
    )


def rows_of_loops(db: Db, org: UUID, run_id: UUID) -> None:
    """Rows that exist only until a loop of the dispatcher has worked on them."""
    statements = [
        # Parked, so that the claims of another org do not follow it.
        "with arrival as (insert into tenuto.arrivals (org_id, seq, route_id, group_no, priority)"
        " values (%(org)s, 1, 1, 1, 0) returning id)"
        " insert into tenuto.parked_rows (loop, key, org_id, error, failures, parked_at, retry_at)"
        " select 'follow_arrivals', id::text, %(org)s, 'boom', 1, tenuto.now(), tenuto.now() + interval '1 hour'"
        " from arrival",
        "insert into tenuto.run_requests (run_id, verb, org_id, requested_at, worked_at)"
        " values (%(run)s, 'cancel', %(org)s, tenuto.now(), tenuto.now())",
        "insert into tenuto.rollups (org_id, period, dimension, starts_at, name, bucket, completed, failed, cancelled,"
        " skipped, retried, lost, run_seconds, max_run_seconds, started, queue_seconds, max_queue_seconds,"
        " last_ended_at) values (%(org)s, 'day', 'type', tenuto.now(), 'a.b', 0, 1, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1,"
        " tenuto.now())",
        "insert into tenuto.run_request_parts (run_id, verb, no, org_id, again, task_ids)"
        " values (%(run)s, 'cancel', 1, %(org)s, false, '{}')",
    ]
    for statement in statements:
        db.execute(statement.encode(), {"org": org, "run": run_id})
    with db.transaction():  # without the trigger that deletes it at commit
        db.execute("set local session_replication_role = replica")
        db.execute(
            "insert into tenuto.close_requests (run_id, cancelled, org_id, requested_at)"
            " values (%s, false, %s, tenuto.now())",
            [run_id, org],
        )
        db.execute(
            "insert into tenuto.release_requests (run_id, org_id, requested_at) values (%s, %s, tenuto.now())",
            [run_id, org],
        )


def a_bundle(db: Db, org: UUID) -> None:
    manifest = {"name": "etl", "tasks": {"etl.load": "main:load"}}
    with db.transaction():
        call(db, "put_bundle", org_id=org, sha256="0" * 64, manifest=manifest, size=3, created_by="ann")
        call(db, "put_bundle_part", org_id=org, sha256="0" * 64, no=0, data=b"zip")


def a_used_rate(db: Db, org: UUID) -> None:
    rate = {"scope": "rate", "key": "r", "size": 1, "seconds": 3600}
    start(db, 1, org_id=org, details=Jsonb([{"task": 0, "limits": [rate]}]), kind={"type": "app.rated"})
    call(db, "admit_rates")


def note_an_input(db: Db, org: UUID, task_id: UUID) -> None:
    """A memo of what the task read, as the functions of the data registry will write it."""
    db.execute(
        "insert into tenuto.task_inputs (task_id, dataset_id, partition_key, org_id, dataset_version_id, fingerprint)"
        " values (%s, gen_random_uuid(), '2026-01-01', %s, gen_random_uuid(), 'sha256:0')",
        [task_id, org],
    )


def a_scaled_pool(db: Db, org: UUID) -> None:
    """A pool and a decision about it, as the functions that scale will write them."""
    db.execute(
        "with pool as (insert into tenuto.pools (id, org_id, name, provider, max_workers, created_at)"
        " values (tenuto._uuid7(), %s, 'gpu', 'local', 4, tenuto.now()) returning id, org_id)"
        " insert into tenuto.scaling_decisions (id, org_id, pool_id, decided_at, workers, wanted, reason)"
        " select tenuto._uuid7(), org_id, id, tenuto.now(), 0, 1, 'one task waits' from pool",
        [org],
    )


def _finished_work(db: Db, org: UUID, thing: UUID) -> None:
    worker = a_worker(db, "finisher", org_id=org)
    details = [{"task": 0, "outputs": ["int"], "slots": [{"object": str(thing)}]}]
    start_graph(db, 2, [(0, 1)], org_id=org, details=details, run={"name": "r", "outputs": [{"task": 0}]})
    held = worker.claim_one()
    limits = [{"scope": "key", "key": "declared", "size": 1}]
    call(db, "declare_types", **worker.fence, types={"app.send": {"kind": {"queue": "mail"}, "limits": limits}})
    line = {"task_id": str(held.task_id), "attempt": 1, "line_no": 1, "message": "hello"}
    call(db, "write_logs", **worker.fence, lines=Jsonb([line]))
    call(db, "record_step", **fenced(worker, held, step_no=1, name="s", kind="step", value={"v": 1}))
    call(db, "put_state", **fenced(worker, held, job_key="j", key="k", version=0, value={"v": 1}))
    effect = {"task_id": str(held.task_id), "kind": "deliver", "payload": {}}
    worker.complete(held, outputs=[[1]], effects=[effect])
    worker.complete(worker.claim_one())


def _running_work(db: Db, org: UUID) -> tuple[UUID, UUID]:
    """A parent that waits for a child that runs."""
    worker = a_worker(db, "runner", org_id=org, lease="1 day")
    start(db, 1, org_id=org)
    parent = worker.claim_one()
    (child,) = worker.start_children(parent, 1)
    worker.wait(parent, **{"for": "children", "tasks": [str(child)]})
    worker.claim_one()
    return parent.run_id, child


def denied(db: Db, statement: str, *params: object) -> bool:
    """Whether the role may not do it; nothing is changed either way."""
    try:
        with db.transaction(force_rollback=True):
            db.execute(statement.encode(), params)
    except psycopg.errors.InsufficientPrivilege:
        return True
    return False


def changes(db: Db, statement: str, *params: object) -> int:
    """How many rows the role can change with it; none when it may not even try."""
    try:
        with db.transaction(force_rollback=True):
            return db.execute(statement.encode(), params).rowcount
    except psycopg.errors.InsufficientPrivilege:
        return 0

"""For each loop that works through rows: one row, a fault that makes it raise, and a check that it was served."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from uuid import UUID, uuid4

from psycopg.types.json import Jsonb

from tests.support.database.backfills import backfill
from tests.support.database.dags import deploy
from tests.support.database.data_objects import an_object
from tests.support.database.jobs import SALES, by_day, sales
from tests.support.database.jobs import publish as publish_data
from tests.support.database.limits import a_key, a_rate
from tests.support.database.loops import cancel_task, settle
from tests.support.database.open_runs import close_run, open_run
from tests.support.database.outbox import publish
from tests.support.database.schedules import put
from tests.support.database.stranded import (
    a_job_that_no_backlog_holds,
    a_parent_whose_child_ended,
    a_run_that_nobody_ended,
)
from tests.support.database.tasks import Db, a_worker, a_worker_with, call, drain, start_graph, start_one
from tests.support.database.users import an_entry


@dataclass(frozen=True)
class Case:
    """`table`: whatever does `on` to a row of the org there raises; `served`: a query that is true afterwards; `locks`:
    tables whose rows the loop skips while another transaction has locked them, if not only `table`."""

    arrange: Callable[[Db, UUID], object]
    served: str
    table: str
    on: str = "delete"
    locks: tuple[str, ...] = ()


def a_delay(db: Db, org: UUID) -> None:
    start_one(db, org_id=org, details=Jsonb([{"task": 0, "delay_seconds": 0.001}]))


def a_sleep(db: Db, org: UUID) -> None:
    start_one(db, org_id=org)
    worker = a_worker(db, org_id=org)
    worker.wait(worker.claim_one(), **{"for": "time", "seconds": 0.001})


def a_task_for_other_code(db: Db, org: UUID) -> None:
    start_one(db, org_id=org)
    old = a_worker_with(db, "old", org_id=org)
    old.block(old.claim_one())
    a_worker_with(db, "new", org_id=org)


def a_task_that_lost_its_code(db: Db, org: UUID) -> None:
    a_task_for_other_code(db, org)
    call(db, "unblock_tasks")
    call(db, "terminate_worker", org_id=org, worker_id="with new")


def a_closed_run(db: Db, org: UUID) -> None:
    """One that its close left to the loop, because a transaction was adding tasks."""
    run_id = open_run(db, org_id=org)
    db.execute("set session_replication_role = replica")  # no triggers
    close_run(db, run_id, org_id=org)
    db.execute("reset session_replication_role")


def a_released_run(db: Db, org: UUID) -> None:
    """One that its release left to the loop, because a transaction was adding tasks."""
    run_id = open_run(db, org_id=org, hold=True)
    db.execute("set session_replication_role = replica")  # no triggers
    call(db, "release_run", org_id=org, run_id=run_id)
    db.execute("reset session_replication_role")


def a_preferred_place(db: Db, org: UUID) -> None:
    """A task that a worker near its data has not taken in time."""
    a_worker(db, "near", org_id=org, address="node-1")
    slots = [{"object": str(an_object(db, at=["node-1"], org_id=org))}]
    start_graph(db, 1, org_id=org, details=[{"task": 0, "slots": slots}])
    db.execute("update tenuto.ready_tasks set queued_at = now() - interval '1 minute' where org_id = %s", [org])


def a_silent_worker(db: Db, org: UUID) -> None:
    a_worker(db, org_id=org)
    db.execute("update tenuto.sessions set expires_at = now() - interval '1 minute' where org_id = %s", [org])


def a_worker_without_heartbeats(db: Db, org: UUID) -> None:
    call(db, "beat_worker", org_id=org, worker_id="w")
    db.execute("update tenuto.workers set last_heartbeat = now() - interval '1 hour' where org_id = %s", [org])


def a_lost_attempt(db: Db, org: UUID) -> None:
    start_one(db, org_id=org)
    a_worker(db, org_id=org).claim_one()
    db.execute("update tenuto.sessions set ended_at = now(), end_reason = 'expired' where org_id = %s", [org])


def a_deadline(db: Db, org: UUID) -> None:
    start_one(db, org_id=org, kind={"timeout_seconds": 10})
    a_worker(db, org_id=org).claim_one()
    db.execute("update tenuto.running_tasks set deadline_at = now() - interval '1 minute' where org_id = %s", [org])


def a_run_past_its_deadline(db: Db, org: UUID) -> None:
    start_graph(db, 1, org_id=org, run={"deadline_seconds": 0.001})


def an_end(db: Db, org: UUID) -> None:
    start_graph(db, 2, org_id=org)
    drain(db, a_worker(db, org_id=org))


def a_handler(db: Db, org: UUID) -> None:
    kinds = [{"type": "app.work"}, {"type": "app.after", "handler": "completed"}]
    start_graph(db, 2, [], kinds=kinds, task_kinds=[0, 1], org_id=org)
    drain(db, a_worker(db, org_id=org))
    call(db, "fold_runs")


def a_cancel(db: Db, org: UUID) -> None:
    cancel_task(db, start_one(db, org_id=org), org_id=org)


def a_large_cancel(db: Db, org: UUID) -> None:
    run_id, _ = start_graph(db, 1001, org_id=org)
    call(db, "cancel_run", org_id=org, run_id=run_id)


def a_schedule(db: Db, org: UUID) -> None:
    put(db, datetime.now(UTC) - timedelta(minutes=1), cron="* * * * *", org_id=org)


def a_limited_start(db: Db, org: UUID) -> None:
    start_one(db, org_id=org, details=Jsonb([{"task": 0, "limits": [a_key("db", 1)]}]))


def a_rate_with_a_line(db: Db, org: UUID) -> None:
    start_one(db, org_id=org, details=Jsonb([{"task": 0, "limits": [a_rate("mail", 1, 1)]}]))
    call(db, "follow_arrivals")


def an_idle_limit(db: Db, org: UUID) -> None:
    a_limited_start(db, org)
    drain(db, a_worker(db, org_id=org))
    db.execute("update tenuto.limits set idle_since = now() - interval '1 week'")


def an_effect(db: Db, org: UUID) -> None:
    publish(db, 1, org_id=org)


def an_old_effect(db: Db, org: UUID) -> None:
    publish(db, 1, org_id=org)
    db.execute("update tenuto.outbox set status = 'done', processed_at = now() - interval '1 week'")


def an_audit_entry(db: Db, org: UUID) -> None:
    """The second one, so that the org has a chain."""
    an_entry(db, org_id=org)
    call(db, "seal_audit", keys=[str(org)])
    an_entry(db, org_id=org)


def a_loose_object(db: Db, org: UUID) -> None:
    call(db, "put_object", org_id=org, type="bytes", payload=b"x")
    db.execute("update tenuto.data_objects set created_at = now() - interval '1 week'")


def an_old_session(db: Db, org: UUID) -> None:
    a_silent_worker(db, org)
    ended = "ended_at = now() - interval '1 month', end_reason = 'expired'"
    db.execute(f"update tenuto.sessions set {ended} where org_id = %s".encode(), [org])


def an_old_request(db: Db, org: UUID) -> None:
    db.execute(
        "insert into tenuto.rate_buckets (org_id, bucket, full_at) values (%s, 'b', now() - interval '1 day')", [org]
    )


def a_finished_task(db: Db, org: UUID) -> None:
    start_one(db, org_id=org)
    drain(db, a_worker(db, org_id=org))


def an_empty_lane(db: Db, org: UUID) -> None:
    a_finished_task(db, org)
    call(db, "move_floors")
    db.execute("update tenuto.ready_lanes set empty_since = now() - interval '5 minutes' where org_id = %s", [org])


def a_leaked_slot(db: Db, org: UUID) -> None:
    a_limited_start(db, org)
    drain(db, a_worker(db, org_id=org))
    leak = "insert into tenuto.limit_slots select gen_random_uuid(), id, org_id from tenuto.limits where org_id = %s"
    db.execute(leak.encode(), [org])


def an_old_run(db: Db, org: UUID) -> None:
    """Its ids are random: no week takes it along."""
    start_graph(db, 2, [], org_id=org, ids=[uuid4(), uuid4()], run={"id": str(uuid4())})
    drain(db, a_worker(db, org_id=org))
    settle(db)
    db.execute("update tenuto.runs set completed_at = now() - interval '1 month' where org_id = %s", [org])


def a_build(db: Db, org: UUID) -> None:
    deploy(db, SALES, org_id=org)
    call(db, "cutover_dag", org_id=org, name="sales", expected=0, actor="ann")
    keys = [row[0] for row in db.execute("select dag_version_id::text from tenuto.builds where org_id = %s", [org])]
    while call(db, "advance_builds", keys=keys):  # it has nothing to catch up with
        pass
    call(db, "trigger_job", org_id=org, dag="sales", name="extract")
    worker = a_worker(db, org_id=org)
    publish_data(worker, worker.claim_one(), "mon")
    deploy(db, sales("select 2"), org_id=org)


def a_backlog(db: Db, org: UUID) -> None:
    """A job had bounds of its backlog, and has none any more."""
    deploy(db, SALES, org_id=org)
    call(db, "cutover_dag", org_id=org, name="sales", expected=0, actor="ann")
    put = "insert into tenuto.job_backlogs (org_id, job_key, due_at) select org_id, job_key, now() from tenuto.jobs"
    db.execute(f"{put} where org_id = %s and name = 'daily'".encode(), [org])


def an_old_event(db: Db, org: UUID) -> None:
    """Its week never had a partition."""
    db.execute(OLD_EVENT.encode(), [org])


OLD_EVENT = """
insert into tenuto.events (id, org_id, job_key, output, dag_version_id, partition_key, task_id, created_at)
select tenuto._uuid7_floor(now() - interval '1 month' + random() * interval '1 day'), %s, gen_random_uuid(), 0,
       gen_random_uuid(), '', gen_random_uuid(), now() - interval '1 month'"""


def a_backfill(db: Db, org: UUID) -> None:
    deploy(db, by_day(SALES), org_id=org)
    call(db, "cutover_dag", org_id=org, name="sales", expected=0, actor="ann")
    db.execute("update tenuto.builds set phase = 'done', due_at = null where org_id = %s", [org])
    backfill(db, "raw", org_id=org)


def an_invalidation(db: Db, org: UUID) -> None:
    deploy(db, by_day(SALES), org_id=org)
    call(db, "cutover_dag", org_id=org, name="sales", expected=0, actor="ann")
    db.execute("update tenuto.builds set phase = 'done', due_at = null where org_id = %s", [org])
    call(db, "invalidate_dataset", org_id=org, dataset="raw", reason="x", first="2026-11-01", last="2026-11-02")


def a_running_job(db: Db, org: UUID) -> None:
    """A task of a job that runs while nobody has told the receiver of OpenLineage events."""
    deploy(db, SALES, org_id=org)
    call(db, "cutover_dag", org_id=org, name="sales", expected=0, version=1, actor="test", force=True)
    call(db, "trigger_job", org_id=org, dag="sales", name="extract", partitions=["2026-01-01"])
    a_worker(db, org_id=org).claim_one()
    call(db, "put_destination", org_id=org, name="events", url="file:events", secret=b"x", openlineage=True)


def an_alert_rule(db: Db, org: UUID) -> None:
    call(db, "put_alert_rule", org_id=org, name="dead", kind="dead_effects")


def an_old_alert(db: Db, org: UUID) -> None:
    db.execute(
        "insert into tenuto.alerts (id, org_id, rule, key, status, summary, details, first_at, last_at, resolved_at)"
        " select tenuto._uuid7(), %s, 'r', 'k', 'resolved', 's', '{}', at, at, at"
        " from (select now() - interval '1 year' as at) long_ago",
        [org],
    )


def a_sealed_entry(db: Db, org: UUID) -> None:
    an_entry(db, org_id=org)
    call(db, "seal_audit")


def gone(table: str, where: str = "true") -> str:
    return f"select count(*) = 0 from tenuto.{table} where org_id = %s and {where}"


MADE = "select count(*) > 0 from tenuto.limits where org_id = %s"
CASES = {
    "promote_due": Case(a_delay, gone("delayed_tasks"), "delayed_tasks"),
    "wake_waiting": Case(a_sleep, gone("waiting_tasks"), "waiting_tasks"),
    "unblock_tasks": Case(a_task_for_other_code, gone("waiting_tasks"), "waiting_tasks"),
    "set_aside_tasks": Case(a_task_that_lost_its_code, gone("ready_tasks"), "ready_tasks"),
    "expire_sessions": Case(a_silent_worker, gone("sessions", "ended_at is null"), "sessions", "update"),
    "expire_workers": Case(a_worker_without_heartbeats, gone("workers", "status = 'active'"), "workers", "update"),
    "expire_attempts": Case(a_lost_attempt, gone("running_tasks"), "running_tasks"),
    "expire_deadlines": Case(a_deadline, gone("running_tasks"), "running_tasks"),
    "expire_runs": Case(a_run_past_its_deadline, gone("run_deadlines"), "run_deadlines"),
    "fold_runs": Case(an_end, gone("run_counts"), "run_counts", locks=("runs",)),
    "settle_runs": Case(a_handler, gone("pending_tasks"), "pending_tasks", locks=("runs", "pending_tasks")),
    "sweep_cancelled": Case(a_cancel, gone("cancel_requests"), "cancel_requests"),
    "sweep_closed": Case(
        a_closed_run, gone("close_requests"), "close_requests", locks=("open_runs", "runs", "close_requests")
    ),
    "relax_placement": Case(
        a_preferred_place, gone("ready_tasks", "route_id in (select id from tenuto.routes where soft)"), "ready_tasks"
    ),
    "sweep_released": Case(
        a_released_run, gone("release_requests"), "release_requests", locks=("held_runs", "release_requests")
    ),
    "follow_arrivals": Case(
        a_limited_start, "select count(*) > 0 from tenuto.limits where org_id = %s", "limits", "insert", ("arrivals",)
    ),
    "admit_rates": Case(a_rate_with_a_line, gone("waiting_tasks"), "waiting_tasks", locks=("limits",)),
    "advance_requests": Case(a_large_cancel, gone("run_requests", "phase = 'list'"), "run_requests", "update"),
    "watch_backlogs": Case(a_backlog, gone("job_backlogs"), "job_backlogs"),
    "advance_builds": Case(a_build, gone("build_inputs"), "builds", "update", ("builds", "dags")),
    "advance_backfills": Case(a_backfill, gone("backfills", "planned = 0"), "backfills", "update"),
    "advance_invalidations": Case(
        an_invalidation, gone("data_invalidations", "planned = 0"), "data_invalidations", "update"
    ),
    "evaluate_alerts": Case(an_alert_rule, gone("alert_rules", "due_at <= tenuto.now()"), "alert_rules", "update"),
    "emit_running": Case(
        a_running_job,
        "select count(*) > 0 from tenuto.outbox where org_id = %s and scope = 'emit_lineage'",
        "outbox",
        "insert",
        ("running_tasks",),
    ),
    "fire_schedules": Case(a_schedule, gone("schedules", "last_at is null"), "schedules", "update"),
    "drain_outbox": Case(an_effect, gone("outbox", "attempts = 0"), "outbox", "update"),
    "sweep_lanes": Case(an_empty_lane, gone("ready_lanes"), "ready_lanes"),
    "sweep_limits": Case(a_leaked_slot, gone("limit_slots"), "limit_slots"),
    "sweep_tasks": Case(a_parent_whose_child_ended, gone("waiting_tasks"), "waiting_tasks"),
    "sweep_runs": Case(
        a_run_that_nobody_ended,
        "select count(*) > 0 from tenuto.run_counts where org_id = %s",
        "run_counts",
        "insert",
        locks=("runs",),
    ),
    "sweep_jobs": Case(
        a_job_that_no_backlog_holds, gone("job_controls", "held_at is not null"), "job_controls", "update"
    ),
    "sign_heads": Case(
        a_sealed_entry, "select count(*) > 0 from tenuto.audit_heads where org_id = %s", "audit_heads", "insert"
    ),
    "prune_runs": Case(an_old_run, gone("runs"), "runs"),
    "seal_audit": Case(an_audit_entry, gone("audit_unsealed"), "audit_unsealed", locks=("audit_chains",)),
    "collect_objects": Case(a_loose_object, gone("data_objects"), "data_objects"),
    "prune_workers": Case(an_old_session, gone("sessions"), "sessions"),
    "prune_limits": Case(an_idle_limit, gone("limits"), "limits"),
    "prune_events": Case(an_old_event, gone("events"), "events_default"),
    "prune_effects": Case(an_old_effect, gone("outbox"), "outbox"),
    "prune_history": Case(an_old_alert, gone("alerts"), "alerts"),
    "prune_identity": Case(an_old_request, gone("rate_buckets"), "rate_buckets"),
}

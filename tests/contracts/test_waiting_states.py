"""Every state in which a row waits names the loop that ends the wait when its reason has gone. Such a loop looks at the
rows themselves, again and again, and not only once when something happens."""

import psycopg

from tenuto.dispatcher.loops import LOOPS
from tests.support.faults.failing_loops import CASES

# The checks of runs, tasks and attempts were dropped, because they cost too much: the states of runs are those of
# task_transitions, and those of tasks are the tables below.
VALUES = """
select t.relname || '.' || a.attname, array(
         select m[1] from regexp_matches(pg_get_constraintdef(c.oid), '''(\\w+)''::text', 'g') m)
from pg_constraint c
join pg_class t on t.oid = c.conrelid and not t.relispartition
join pg_attribute a on a.attrelid = t.oid and c.conkey = array[a.attnum]
where c.contype = 'c' and t.relnamespace = 'tenuto'::regnamespace and t.relname <> 'test_touched'
  and a.attname in ('status', 'phase', 'waits_for', 'verb') and pg_get_constraintdef(c.oid) like '%ARRAY[%'
union all
select 'runs.status', array_agg(distinct s.state)
from tenuto.task_transitions t cross join lateral (values (t.from_state), (t.to_state)) s(state)
where t.entity = 'run' and s.state is not null
"""
TABLES = """
select c.relname::text from pg_class c
where c.relnamespace = 'tenuto'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
  and c.relname !~ '^test_'
"""
A_PERSON = "a person or a client ends this wait"
OVER = "nothing is left to wait for"
ELSEWHERE = "the tasks or rows that it waits for are listed here on their own"

# For each value of a column that says what a row waits for.
STATES = {
    "alerts.status": {"firing": "evaluate_alerts", "acknowledged": "evaluate_alerts", "resolved": OVER},
    "backfills.status": {
        "running": "advance_backfills",
        "paused": A_PERSON,
        "cancelling": "advance_backfills",
        "completed": OVER,
        "failed": OVER,
        "cancelled": OVER,
    },
    "builds.phase": {
        "start": "advance_builds",
        "follow": "advance_builds",
        "retry": "advance_builds",
        "catch_up": "advance_builds",
        "cancel": "advance_builds",
        "done": "sweep_jobs",  # if readers are left to update
    },
    "dag_versions.status": {
        "staged": A_PERSON,
        "building": "advance_builds",
        "ready": A_PERSON,
        "current": OVER,
        "superseded": OVER,
        "failed": OVER,
    },
    "data_invalidations.status": {"running": "advance_invalidations", "completed": OVER, "failed": OVER},
    "outbox.status": {"pending": "drain_outbox", "processing": "drain_outbox", "done": OVER, "dead": A_PERSON},
    "run_requests.phase": {"list": "advance_requests", "work": "advance_requests", "release": "advance_requests"},
    "run_requests.verb": dict.fromkeys(("cancel", "retry", "delete", "delete_group"), "advance_requests"),
    "runs.status": {
        "pending": "sweep_runs",
        "running": "sweep_runs",
        "retrying": "settle_runs",
        "completed": OVER,
        "failed": OVER,
        "cancelled": OVER,
    },
    "waiting_tasks.waits_for": {
        "children": "sweep_tasks",
        "signal": "sweep_tasks",
        "time": "wake_waiting",
        "limit": "sweep_limits",
        "code": "unblock_tasks",
    },
    "workers.status": {
        "starting": "expire_workers",
        "active": "expire_workers",
        "draining": "expire_workers",
        "error": A_PERSON,
        "terminated": OVER,
    },
}
# Tables whose rows wait by being there.
WAITS = {
    "alert_rules": "evaluate_alerts",
    "arrivals": "follow_arrivals",
    "audit_arrivals": "seal_audit",
    "audit_unsealed": "seal_audit",
    "awaited_tasks": "sweep_tasks",
    "build_inputs": "advance_builds",
    "build_tasks": "advance_builds",
    "cancel_requests": "sweep_cancelled",
    "close_requests": "sweep_closed",
    "delayed_tasks": "promote_due",
    "event_reactions": "drain_outbox",  # of events that wait for a paused job, which `resume_job` has routed
    "held_runs": A_PERSON,
    "idempotency_keys": "prune_identity",
    "invalidation_consumers": "advance_invalidations",
    "job_backlogs": "watch_backlogs",
    "job_controls": "sweep_jobs",
    "limit_slots": "sweep_limits",
    "limits": "admit_rates",
    "login_sessions": "prune_identity",
    "login_tokens": "prune_identity",
    "loop_leases": "control_pools",  # any loop: a dispatcher takes leases that have expired at every tick
    "open_runs": A_PERSON,
    "parked_rows": "retry_parked",
    "pending_tasks": "sweep_tasks",
    "pools": "control_pools",
    "rate_admissions": "admit_rates",
    "reader_updates": "sweep_jobs",
    "ready_lanes": "sweep_lanes",
    "ready_tasks": "sweep_lanes",
    "release_requests": "sweep_released",
    "repair_tasks": "advance_backfills",
    "row_sets": "drain_outbox",  # effects of kind sink
    "run_counts": "fold_runs",
    "run_deadlines": "expire_runs",
    "run_request_parts": "advance_requests",
    "running_tasks": "expire_attempts",
    "schedules": "fire_schedules",
    "sessions": "expire_sessions",
    "signals": "sweep_tasks",
    "task_parents": ELSEWHERE,
}
RECORDS = """
api_keys arrival_floor audit_chains audit_heads audit_log bundle_parts bundle_types bundles column_lineage
current_partitions dag_current_versions dag_version_datasets dags data_locality data_objects data_references
dataset_cursors dataset_versions datasets declared_limits dedupe_keys deploy_history destinations dispatchers due_floors
events installation installation_marks job_inputs job_outputs job_tasks jobs limit_overrides lineage_methods migrations
operator_state org_role_memberships org_roles orgs partition_versions partitioned_tables queues rate_buckets
resource_groups rollup_position rollups routes run_data run_slots scaling_decisions signing_keys sweep_positions
table_lineage task_attempts task_dependencies task_inputs task_logs task_metadata task_slots task_steps task_types tasks
users webhooks worker_keys worker_logs
"""
LOOP_NAMES = {loop.name for loop in LOOPS}
ALWAYS_DUE = {"control_pools", "retry_parked"}  # they process no rows that can be parked


def test_every_state_in_which_something_waits_has_a_loop(db: psycopg.Connection) -> None:
    found = {column: set(values) for column, values in db.execute(VALUES).fetchall()}

    assert {column: set(states) for column, states in STATES.items()} == found


def test_every_table_holds_records_or_rows_that_wait(db: psycopg.Connection) -> None:
    listed = [*WAITS, *RECORDS.split(), *(column.partition(".")[0] for column in STATES)]

    assert set(listed) == {name for (name,) in db.execute(TABLES)}
    assert len({*WAITS} & {*RECORDS.split()}) == 0


def test_these_loops_run_and_a_test_shows_what_each_repairs() -> None:
    """tests/dispatcher/test_parking.py arranges rows that wait for each loop, and sees that they are served."""
    named = {*WAITS.values(), *(loop for states in STATES.values() for loop in states.values())}
    loops = named - {A_PERSON, OVER, ELSEWHERE}

    assert loops <= LOOP_NAMES
    assert loops - ALWAYS_DUE <= set(CASES)

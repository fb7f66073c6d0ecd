"""What each public function does in a transaction that is not READ COMMITTED: it refuses, or this file says why it
works. A function that is not volatile only reads: its answer is that of one snapshot, at every level."""

import re

import psycopg
import pytest

from tests.support.database.isolation import LEVELS

FUNCTIONS = """
select n.nspname::text, p.proname::text, p.prokind = 'p',
       array(select format_type(t, null) from unnest(p.proargtypes) t)
from pg_proc p
join pg_namespace n on n.oid = p.pronamespace
where n.nspname like 'tenuto%' and p.proname !~ '^_' and p.provolatile = 'v' and p.prorettype <> 'trigger'::regtype
"""
SOURCES = "select proname::text, prosrc from pg_proc where pronamespace::regnamespace::text like 'tenuto%'"
STARTS = "a start: only adds rows that no other transaction reads before it commits. It refuses dedupe keys and limits"
ADDS = "only adds rows; for a row that exists already, Postgres raises an error"
OWN_ROWS = "decides from the rows that it changes; Postgres raises 40001 if one has changed since the snapshot"
CREDENTIALS = "reads credentials and changes only when they were used last"
STATISTICS = "reads what the server knows about other transactions, which no snapshot fixes"
LATER = "refuses after it has found the row that it locks next, and before it changes anything"

WORKS = {
    STARTS: """
        start_task start_many start_run start_run_for_request start_for_requests open_run add_tasks put_object
        reference_object
    """,
    ADDS: """
        create_api_key create_org create_role create_worker_key import_api_key add_member make_login_token open_login
        invalidate_dataset publish_effect record_store put_bundle put_bundle_part put_run_data record_head record_query
        resolve_routes start_backfill write_audit write_logs
    """,
    OWN_ROWS: """
        acknowledge_alert adopt_api_key beat_dispatcher beat_worker begin_request adopt_database cancel_backfill
        close_dispatcher close_login close_session declare_schedules delete_alert_rule delete_bundle delete_destination
        delete_partitions delete_role delete_run_data delete_schedule disable_user drain_worker drop_data_table
        drop_event edit_run_data_tags enable_user end_leases expect_worker fail_effects fail_spawn fail_worker
        finish_effects finish_request note_pool_problem park_rows pause_backfill pause_schedule place_object
        put_destination put_schedule put_user record_machine register_worker release_object remove_member replay_effects
        request_machines resume_backfill resume_schedule retire_signing_key revoke_api_key revoke_dataset
        revoke_worker_key rotate_api_key rotate_destination rotate_webhook rotate_worker_key set_org_settings set_pool
        set_resource_group set_run_metadata set_task_metadata set_user_role silence_alert_rule take_due_maintenance
        take_loops take_parked take_pools take_staging_checks take_tokens terminate_worker unpark_rows update_api_key
        update_org update_schedule use_login_token func_update_worker_heartbeat
    """,
    CREDENTIALS: """
        act_as_api_key act_as_user admit_api_key admit_login admit_user admit_worker_key find_api_key find_login
        find_user find_worker_key
    """,
    STATISTICS: "get_change_horizon index_recent_changes",
    LATER: """
        complete_tasks delete_dataset deploy_dag exchange_tasks grant_dataset pause_job poll_runs purge_dataset
        resume_job trigger_job func_claim_available_task func_claim_task func_mark_task_complete func_mark_task_failed
        func_reset_orphaned_tasks
    """,
}


@pytest.mark.parametrize("level", LEVELS)
def test_every_function_refuses_the_level_or_has_a_reason_to_work(db: psycopg.Connection, level: str) -> None:
    """Functions that refuse do so before they look at their arguments, so nulls will do."""
    functions = db.execute(FUNCTIONS).fetchall()
    db.execute(f"begin isolation level {level}".encode())
    works = {name for schema, name, procedure, types in functions if not refuses(db, schema, name, procedure, types)}
    db.execute("rollback")

    listed = " ".join(WORKS.values()).split()
    assert len(listed) == len(set(listed)), "a function is listed twice"
    assert works == set(listed)


def refuses(db: psycopg.Connection, schema: str, name: str, procedure: bool, types: list[str]) -> bool:
    nulls = ", ".join(f"null::{type}" for type in types)
    db.execute("savepoint tried")
    try:
        db.execute(f"{'call' if procedure else 'select * from'} {schema}.{name}({nulls})".encode())
        return False
    except psycopg.Error as error:
        return error.sqlstate == "TN011"
    finally:
        db.execute("rollback to tried")


def test_a_function_that_refuses_later_reaches_the_check(db: psycopg.Connection) -> None:
    calls = {name: set(re.findall(r"tenuto\w*\.(\w+)\(", source)) for name, source in db.execute(SOURCES)}

    assert {name for name in WORKS[LATER].split() if "_require_read_committed" not in reached(calls, name)} == set()


def test_only_one_function_judges_the_level(db: psycopg.Connection) -> None:
    """Procedures that commit begin a READ COMMITTED transaction instead."""
    judges = {name for name, source in db.execute(SOURCES) if "transaction_isolation" in source}

    judges -= {"_refuse_isolation"}  # names it
    assert judges == {"_require_read_committed", "start_task", "start_for_requests"}


def reached(calls: dict[str, set[str]], name: str) -> set[str]:
    """Every function that this one calls, directly or through others."""
    seen: set[str] = set()
    ahead = {name}
    while ahead:
        ahead = {callee for caller in ahead for callee in calls.get(caller, ())} - seen
        seen |= ahead
    return seen

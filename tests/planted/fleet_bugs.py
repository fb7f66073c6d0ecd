"""The bugs of workers that end by themselves and of rollups, and the test that notices each."""

from tests.planted.plant import Bug

RACES = "tests/races/test_fleet.py"
ROLLUPS = "tests/sql/monitoring/test_roll_up_activity.py"
EXPIRE = "tests/sql/workers/test_expire_workers.py"
DECIDE = "tests/sql/workers/pools/test_decide_pool.py"
MACHINES = "tests/sql/workers/pools/test_machines.py"

FLEET_BUGS = (
    Bug(
        "a_rollup_skips_a_late_commit",
        f"{ROLLUPS}::test_what_commits_late_is_counted",
        (
            (
                "monitoring/rollups/roll_up_activity.sql",
                r"tenuto\.get_change_horizon\('\{tenuto\.task_attempts\}'\)",
                "statement_timestamp()",
            ),
        ),
    ),
    Bug(
        "two_rollups_count_an_attempt_twice",
        f"{RACES}::test_two_rollups_count_an_attempt_once",
        (("monitoring/rollups/roll_up_activity.sql", r" for update skip locked", ""),),
    ),
    Bug(
        "a_worker_with_a_session_is_given_up",
        f"{EXPIRE}::test_a_worker_with_an_open_session_is_judged_by_its_lease_alone",
        (("workers/_overdue_workers.sql", r"and s\.ended_at is null\)\)", "and false))"),),
    ),
    Bug(
        "a_failed_worker_is_terminated_without_a_grace",
        f"{EXPIRE}::test_a_worker_whose_lease_expired_is_terminated_after_the_grace_and_pruned",
        (("workers/expire_sessions.sql", r"error_at = tenuto\.now\(\)", "error_at = 'epoch'"),),
    ),
    Bug(
        "two_dispatchers_request_a_machine_twice",
        f"{RACES}::test_two_dispatchers_request_a_machine_once",
        (("workers/pools/decide_pool.sql", r"and p\.decision_no = p_expected", "and true"),),
    ),
    Bug(
        "a_machine_that_registered_is_given_up",
        f"{DECIDE}::test_a_machine_that_registers_before_it_is_given_up_is_left_alone",
        (
            (
                "workers/pools/decide_pool.sql",
                r"\(w\.status = 'starting' and w\.id = any \(p_cancel\)\)",
                "(w.id = any (p_cancel))",
            ),
        ),
    ),
    Bug(
        "a_live_worker_is_given_up_on_stale_facts",
        f"{MACHINES}::test_a_worker_that_is_open_is_not_given_up_without_evidence",
        (("workers/pools/give_up_machine.sql", r"coalesce\(w\.last_heartbeat, w\.created_at\) >= p_seen_at", "false"),),
    ),
    Bug(
        "a_machine_registers_while_it_is_ended",
        f"{RACES}::test_a_machine_registers_before_it_is_ended_or_not_at_all",
        (("workers/_join_machine.sql", r"elsif v_machine\.given_up_at is not null", "elsif false"),),
    ),
    Bug(
        "two_pools_exceed_the_machines_of_their_provider",
        f"{RACES}::test_two_pools_share_the_machines_of_their_provider",
        (("workers/pools/decide_pool.sql", r"perform pg_advisory_xact_lock\(.*?\), 0\)\);", "null;"),),
    ),
    Bug(
        "a_machine_is_idle_while_it_runs",
        f"{DECIDE}::test_a_machine_that_a_decision_saw_busy_is_not_idle_while_rollups_are_late",
        (("workers/pools/decide_pool.sql", r"set busy_at = tenuto\.now\(\)", "set busy_at = null"),),
    ),
    Bug(
        "a_worker_is_pruned_while_its_machine_runs",
        f"{MACHINES}::test_a_terminated_worker_is_pruned_only_when_its_machine_has_ended",
        (("workers/prune_workers.sql", r"and \(w\.pool_id is null or w\.machine_ended_at is not null\)", ""),),
    ),
    Bug(
        "the_tasks_of_a_machine_that_is_gone_stay_with_it",
        f"{MACHINES}::test_a_machine_that_is_gone_ends_its_workers_and_their_tasks_run_elsewhere",
        (("workers/pools/give_up_machine.sql", r"perform tenuto\.fail_worker\(.*?\)\) from", "perform from"),),
    ),
)

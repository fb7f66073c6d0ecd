"""The bugs of workers that end by themselves and of rollups, and the test that notices each."""

from tests.planted.plant import Bug

RACES = "tests/races/test_fleet.py"
ROLLUPS = "tests/sql/monitoring/test_roll_up_activity.py"
EXPIRE = "tests/sql/workers/test_expire_workers.py"

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
        (("workers/expire_sessions.sql", r", error_at = tenuto\.now\(\)", ", error_at = 'epoch'"),),
    ),
)

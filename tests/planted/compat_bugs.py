"""The bugs of the functions with the names of other systems, and the test that notices each."""

from tests.planted.plant import Bug

COMPAT = "tests/sql/compat"
FUNCTIONS = "compat/tenuto_compat"

COMPAT_BUGS = (
    Bug(
        "a_report_without_a_worker_is_always_accepted",
        f"{COMPAT}/test_wgp_claims.py::"
        "test_a_report_without_a_worker_is_refused_once_two_workers_have_claimed_the_task",
        ((f"{FUNCTIONS}/_find_attempt.sql", r"cardinality\(v_claimants\) > 1", "false"),),
    ),
    Bug(
        "a_worker_ends_the_task_of_another",
        f"{COMPAT}/test_wgp_orphans.py::"
        "test_a_worker_that_was_believed_dead_cannot_end_its_old_task_and_can_claim_again",
        (
            (
                f"{FUNCTIONS}/_find_attempt.sql",
                r"elsif p_worker_id <> coalesce\(v_worker_id, ''\) then",
                "elsif false then",
            ),
        ),
    ),
    Bug(
        "a_terminating_worker_gets_tasks",
        f"{COMPAT}/test_wgp_claims.py::test_a_worker_that_is_to_end_gets_nothing[terminating]",
        ((f"{FUNCTIONS}/_open_session.sql", r" or v_worker\.metadata ->> 'orchestrator_status' = 'terminating'", ""),),
    ),
    Bug(
        "a_busy_type_comes_before_an_older_task",
        f"{COMPAT}/test_wgp_claims.py::test_a_task_that_waited_longest_comes_before_those_of_a_busier_type",
        ((f"{FUNCTIONS}/_claim_oldest.sql", r"order by l\.priority desc, first\.seq", "order by l.route_id"),),
    ),
    Bug(
        "a_heartbeat_renews_nothing",
        f"{COMPAT}/test_wgp_claims.py::"
        "test_the_claim_opens_one_session_of_ten_minutes_which_claims_and_heartbeats_renew",
        ((f"{FUNCTIONS}/func_update_worker_heartbeat.sql", r"perform tenuto\._renew_session\([^;]*;", "null;"),),
    ),
    Bug(
        "an_update_of_params_cancels",
        f"{COMPAT}/test_wgp_views.py::"
        "test_any_other_update_is_refused_with_the_function_to_use[status = 'Cancelled', params = '1']",
        ((f"{FUNCTIONS}/_cancel_or_refuse.sql", r"or v_new - .*? then", "then"),),
    ),
)

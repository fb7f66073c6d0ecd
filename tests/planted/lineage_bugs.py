"""The bugs of lineage, and the test that notices each."""

from tests.planted.plant import Bug

EVENTS = "tests/sql/runs/jobs/test_emit_events.py"
RECORDED = "tests/sql/datasets/test_record_lineage.py"
READERS = "tests/sql/datasets/test_wider_readers.py"
ALERTS = "tests/sql/monitoring/test_job_alerts.py"

LINEAGE_BUGS = (
    Bug(
        "lineage_written_outside_the_commit",
        f"{RECORDED}::test_a_completion_that_is_rolled_back_records_nothing",
        (
            (
                "datasets/_record_lineage.sql",
                r"perform tenuto\._record_columns\(([^;]*)\);",
                r"begin perform tenuto._record_columns(\1); exception when others then null; end;",
            ),
        ),
    ),
    Bug(
        "an_openlineage_event_outside_the_transaction",
        f"{EVENTS}::test_an_event_that_cannot_be_stored_fails_the_completion",
        (
            (
                "runs/jobs/_complete_jobs.sql",
                r"perform tenuto\._emit_ends\(([^;]*)\);",
                r"begin perform tenuto._emit_ends(\1); exception when others then null; end;",
            ),
        ),
    ),
    Bug(
        "an_openlineage_event_lost_while_another_is_delivered",
        f"{EVENTS}::test_events_that_come_while_a_row_is_delivered_are_delivered_next",
        (("outbox/_has_events.sql", r"return p_kind = [^;]*;", "return false;"),),
    ),
    Bug(
        "lineage_of_a_refused_publication",
        f"{RECORDED}::test_wrong_lineage_fails_its_task_for_good_and_harms_no_neighbour",
        (("datasets/_check_publications.sql", r"v_wrong := coalesce\(v_wrong, tenuto\._check_lineage[^;]*;", ""),),
    ),
    Bug(
        "an_older_task_replaces_lineage",
        f"{RECORDED}::test_an_older_task_that_completes_later_replaces_nothing",
        (("datasets/_record_columns.sql", r"where m\.task_id < excluded\.task_id or [^;]*;", ";"),),
    ),
    Bug(
        "a_cutover_that_widens_readers",
        f"{READERS}::test_a_cutover_is_denied_to_what_was_deployed_before",
        (("reactions/cutover_dag.sql", r"perform tenuto\._check_readers\([^;]*;", ""),),
    ),
    Bug(
        "a_grant_that_widens_readers",
        f"{READERS}::test_a_grant_is_denied_that_widens_what_is_current",
        (("datasets/grant_dataset.sql", r"if v_source is not null then", "if false then"),),
    ),
    Bug(
        "alerts_of_an_earlier_update_lost",
        f"{ALERTS}::test_nothing_found_between_two_updates_is_lost",
        (("monitoring/alerts/raise_alerts.sql", r"done := v_overtaken or [^;]*;", "done := true;"),),
    ),
)

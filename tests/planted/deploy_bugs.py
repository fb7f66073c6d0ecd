"""The bugs of deploys, cutovers, rollbacks and commits, and the test that notices each."""

from tests.planted.plant import Bug

RACES = "tests/races"
DATASETS = "tests/sql/datasets"
JOBS = "tests/sql/runs/jobs"
BUILDS = "tests/sql/reactions/test_advance_builds.py"
EVENTS = "tests/sql/reactions"

DEPLOY_BUGS = (
    Bug(
        "as_of_reads_the_wrong_version",
        f"{DATASETS}/test_pin_datasets.py::test_each_as_of_names_its_version",
        (("datasets/pin_datasets.sql", r"then m\.version = p_dag_version", "then true"),),
    ),
    Bug(
        "cutover_without_comparing",
        f"{DATASETS}/test_cutover_dag.py::test_a_pointer_moves_only_from_the_version_that_was_seen",
        (("deploys/dags/_move_pointer.sql", r"if coalesce\(v_current, 0\) <> p_expected then", "if false then"),),
    ),
    Bug(
        "cutover_leaves_the_datasets_behind",
        f"{DATASETS}/test_cutover_dag.py::test_a_cutover_moves_the_dag_and_every_dataset",
        (("reactions/cutover_dag.sql", r"perform tenuto\._add_reader_updates\([^;]*;", ""),),
    ),
    Bug(
        "rollback_leaves_the_datasets_behind",
        f"{DATASETS}/test_cutover_dag.py::test_a_rollback_is_the_inverse_and_a_cutover_forward_again_computes_nothing",
        (("reactions/rollback_dag.sql", r"perform tenuto\._add_reader_updates\([^;]*;", ""),),
    ),
    Bug(
        "datasets_that_are_gone_keep_their_pointers",
        f"{DATASETS}/test_cutover_dag.py::"
        "test_a_dataset_that_is_no_longer_published_keeps_its_name_and_has_no_producer",
        (("datasets/_point_datasets.sql", r"left join lateral", "join lateral"),),
    ),
    Bug(
        "cutover_to_a_version_that_is_not_ready",
        f"{DATASETS}/test_cutover_dag.py::test_only_a_forced_cutover_takes_a_version_that_is_not_ready[failed]",
        (("deploys/dags/_move_pointer.sql", r"p_force and status in", "status in"),),
    ),
    Bug(
        "a_dag_is_deleted_under_its_readers",
        f"{EVENTS}/test_delete_dag.py::test_a_dag_whose_datasets_another_one_reads_is_not_deleted_even_forced",
        (("datasets/_outside_readers.sql", r"'staged', 'building', 'ready', 'current'", "'staged'"),),
    ),
    Bug(
        "a_dataset_is_deleted_while_a_reader_is_deployed",
        f"{RACES}/test_deletions.py::test_a_deploy_of_a_reader_and_a_deletion_of_what_it_reads_never_both_win",
        (("datasets/_hold_inputs.sql", r"\n      for share\)", ")"),),
    ),
    Bug(
        "a_deploy_reads_a_version_that_is_left_meanwhile",
        f"{RACES}/test_reader_updates.py::test_a_deploy_beside_a_cutover_computes_the_partitions_of_the_new_version",
        (("datasets/_hold_inputs.sql", r"for share\)", "for key share)"),),
    ),
    Bug(
        "data_of_a_deleted_dataset_is_used_again",
        f"{EVENTS}/test_deleted_sources.py::test_readers_begin_anew_with_a_dataset_that_was_deleted_and_deployed_again",
        (("reactions/deploy_dag.sql", r"perform tenuto\._leave_lost_sources\([^;]*;", ""),),
    ),
    Bug(
        "a_deploy_accepts_functions_that_no_app_declares",
        f"{JOBS}/test_functions.py::test_a_deploy_with_a_function_that_no_app_declares_stores_nothing[os.system]",
        (("reactions/deploy_dag.sql", r"perform tenuto\._check_functions\([^;]*;", ""),),
    ),
    Bug(
        "data_of_a_dataset_that_lost_its_name_is_used_again",
        f"{EVENTS}/test_deleted_sources.py::test_a_dataset_that_gets_its_name_back_gets_what_was_computed_from_it_back",
        (("datasets/_lost_sources.sql", r" or i\.parent_key is null and exists \(.*?deleted_at is null\)", ""),),
    ),
    Bug(
        "data_of_a_dataset_that_was_deleted_twice_is_used_again",
        f"{EVENTS}/test_deleted_sources.py::test_a_dataset_that_was_deleted_twice_is_a_third_one",
        (
            ("datasets/_leave_lost_sources.sql", r"union all.*?\n  \)", ")"),
            ("datasets/_leave_lost_sources.sql", r"\n  where s\.next_hash not in .*?;", ";"),
        ),
    ),
    Bug(
        "a_rollback_reads_what_is_deleted_meanwhile",
        f"{RACES}/test_deletions.py::test_a_rollback_of_a_reader_and_a_deletion_of_what_it_reads_never_both_win",
        (("datasets/_check_version_data.sql", r"\n  for key share;", ";"),),
    ),
    Bug(
        "a_cutover_drops_updates_of_readers_that_wait",
        f"{EVENTS}/test_reader_updates.py::test_a_cutover_that_keeps_the_data_does_not_drop_an_update_that_waits",
        (
            (
                "reactions/_add_reader_updates.sql",
                r"from unnest\(v_left\) l\) b",
                "from unnest(v_left[2:1]) l) b",
            ),
        ),
    ),
    Bug(
        "readers_in_other_dags_are_told_of_equal_partitions",
        f"{EVENTS}/test_reader_updates.py::test_partitions_that_differ_are_updates_for_jobs_of_other_dags_only",
        (("reactions/builds/_update_readers.sql", r"o\.fingerprint is distinct from n\.fingerprint", "true"),),
    ),
    Bug(
        "readers_are_parked_with_the_tasks_of_the_dag",
        "tests/dispatcher/test_failing_builds.py::"
        "test_readers_are_told_of_a_cutover_if_a_task_of_the_dag_itself_cannot_be_started",
        (("reactions/builds/_build_work.sql", r"then ':readers' else", "then '' else"),),
    ),
    Bug(
        "a_cutover_updates_the_jobs_of_its_own_dag",
        f"{EVENTS}/test_reader_updates.py::test_partitions_that_differ_are_updates_for_jobs_of_other_dags_only",
        (("reactions/_decide.sql", r"and c\.producer = c\.reader\)", "and false)"),),
    ),
    Bug(
        "two_producers_of_one_dataset",
        f"{DATASETS}/test_deploy_dag.py::test_a_dataset_has_one_producer",
        (("datasets/_register_datasets.sql", r"and s\.dag_id <> p_dag_id", "and false"),),
    ),
    Bug(
        "purge_of_what_a_task_uses",
        "tests/sql/runs/jobs/test_purge_dataset.py::test_a_version_that_an_open_task_reads_or_writes_is_kept",
        (("runs/jobs/purge_dataset.sql", r" except select tenuto\._versions_in_use\(p_org_id, v_ids\)", ""),),
    ),
    Bug(
        "purge_of_what_can_become_current",
        "tests/sql/runs/jobs/test_purge_dataset.py::test_what_is_current_or_could_become_current_is_kept",
        (("datasets/_purgeable_versions.sql", r"g\.status not in \('superseded', 'failed'\)", "false"),),
    ),
    Bug(
        "deploys_of_a_dag_do_not_wait_for_each_other",
        f"{RACES}/test_deploys.py::test_two_deployers_of_different_documents_get_two_versions",
        (
            ("deploys/dags/_open_dag.sql", r"\n    for no key update;", ";"),
            ("deploys/dags/_lock_dag.sql", r"\n  for no key update;", ";"),
            ("deploys/dags/_lock_dag.sql", r"perform pg_advisory_xact_lock\([^;]*;", ""),
        ),
    ),
    Bug(
        "a_memo_without_the_inputs",
        f"{JOBS}/test_memo.py::test_of_several_partitions_only_those_with_other_inputs_are_computed",
        (("datasets/_memo.sql", r"string_agg\(i\.value ->> 'fingerprint', '/' order by i\.no\)", "''"),),
    ),
    Bug(
        "a_memo_of_another_version",
        f"{JOBS}/test_memo.py::test_a_purged_or_other_version_is_never_reused",
        (
            (
                "datasets/_find_memos.sql",
                r"and s\.dag_version_id = p_dag_version_id and s\.job_key = p_job_key",
                "",
            ),
        ),
    ),
    Bug(
        "a_reused_output_gives_way_to_an_older_task",
        f"{JOBS}/test_memo.py::test_an_older_task_that_completes_later_does_not_replace_a_reused_output",
        (("runs/jobs/_reuse_outputs.sql", r"\n  perform tenuto\._commit_outputs\(v_reused\);", ""),),
    ),
    Bug(
        "a_version_is_ready_before_its_tasks_end",
        f"{BUILDS}::test_only_ready_versions_become_current",
        (("reactions/builds/_follow_build.sql", r"v_open boolean := exists \([^;]*;", "v_open boolean := false;"),),
    ),
    Bug(
        "a_version_with_a_failed_task_is_ready",
        f"{BUILDS}::test_a_task_that_fails_for_good_fails_the_version_until_it_is_deployed_again",
        (("reactions/builds/_follow_build.sql", r"if v_failed then", "if false then"),),
    ),
    Bug(
        "auto_replaces_whatever_is_current",
        f"{BUILDS}::test_auto_does_not_replace_a_version_that_became_current_meanwhile",
        (("deploys/dags/_move_pointer.sql", r"if coalesce\(v_current, 0\) <> p_expected then", "if false then"),),
    ),
    Bug(
        "a_rollback_cancels_what_both_versions_need",
        "tests/sql/reactions/test_leave_version.py::test_a_rollback_cancels_what_only_the_version_that_is_left_needs",
        (("runs/jobs/_cancel_version_tasks.sql", r"and not exists \(.*?config_hash = j\.config_hash\)", ""),),
    ),
    Bug(
        "an_event_of_a_task_that_ends_late_is_lost",
        f"{EVENTS}/test_leave_version.py::"
        "test_a_running_task_that_ends_after_its_version_is_current_again_loses_no_event",
        (("reactions/builds/_catch_up.sql", r"perform tenuto\._join_build\([^;]*;", ""),),
    ),
    Bug(
        "jobs_share_the_state_of_their_operator",
        "tests/sql/runs/data/test_job_state.py::test_two_jobs_with_the_same_operator_do_not_share_state",
        (("runs/data/_state_owner.sql", r"if not tenuto\._is_job_task\(p_running\.flags\) then", "if true then"),),
    ),
    Bug(
        "a_lost_attempt_publishes",
        f"{JOBS}/test_commit_outputs.py::test_a_worker_that_lost_the_task_publishes_nothing",
        (("runs/jobs/_take_publications.sql", r" and t\.attempt = u\.attempt and t\.session_id = p_session_id", ""),),
    ),
    Bug(
        "an_older_task_takes_a_partition_back",
        f"{RACES}/test_commits.py::test_of_two_tasks_that_publish_a_partition_the_newer_keeps_it",
        (("datasets/_commit_outputs.sql", r"\n\s+where excluded\.task_id > c\.task_id", ""),),
    ),
    Bug(
        "an_attempt_publishes_the_folder_of_another",
        f"{JOBS}/test_commit_outputs.py::test_an_earlier_attempt_cannot_lend_its_folder",
        (("datasets/_is_staging.sql", r" \|\| p_own \|\| '\$'\)", ")"),),
    ),
    Bug(
        "a_commit_reaches_other_versions",
        f"{JOBS}/test_commit_outputs.py::test_a_task_that_completes_after_a_rollback_lands_in_its_own_version",
        (("datasets/_commit_outputs.sql", r" and s\.dag_version_id = t\.dag_version_id", ""),),
    ),
    Bug(
        "a_failed_check_is_committed",
        f"{JOBS}/test_commit_outputs.py::test_a_wrong_publication_fails_its_task_for_good",
        (("datasets/_check_publication.sql", r"is distinct from 'warn'", "= 'none'"),),
    ),
    Bug(
        "jobs_share_their_dedupe_keys",
        f"{JOBS}/test_trigger_job.py::test_a_dedupe_key_counts_for_the_job_in_all_versions",
        (("runs/jobs/_dedupe_job.sql", r"p_job_key::text", "'job'"),),
    ),
    Bug(
        "anybody_starts_operators",
        f"{JOBS}/test_trigger_job.py::test_types_of_operators_start_only_through_jobs",
        (("runs/start/_read_kinds.sql", r"and not p_of_jobs", "and false"),),
    ),
    Bug(
        "a_retried_task_forgets_its_job",
        f"{JOBS}/test_trigger_job.py::test_a_retried_run_of_a_job_publishes_for_the_same_version",
        (("runs/lifecycle/_copy_tasks.sql", r"t\.old_id = any \(v_of_jobs\)\)", "false)"),),
    ),
    Bug(
        "stale_events_are_routed",
        f"{EVENTS}/test_paused_events.py::test_an_event_of_an_old_version_is_stale",
        (
            (
                "reactions/_consumers.sql",
                r"when r\.status = 'current' and v_current then",
                "when r.status = 'current' then",
            ),
        ),
    ),
    Bug(
        "jobs_share_their_queued_tasks",
        f"{EVENTS}/test_route_events.py::test_a_commit_starts_a_task_of_every_job_that_reads_the_dataset",
        (("runs/jobs/_queue_partitions.sql", r"p_job\.job_key \|\| ':' \|\| p_job\.config_hash", "'job'"),),
    ),
    Bug(
        "a_queued_task_reads_old_data",
        f"{EVENTS}/test_route_events.py::"
        "test_a_queued_task_of_a_partition_takes_later_events_over_and_reads_their_data",
        (("runs/jobs/_pin_again.sql", r"where t\.id = p\.task_id", "where false"),),
    ),
    Bug(
        "a_held_job_is_never_released",
        f"{EVENTS}/test_watch_backlogs.py::test_events_of_a_held_job_wait_and_are_routed_when_it_is_released",
        (("deploys/jobs/_judge_backlog.sql", r"when v_share > 0\.5 then p_backlog", "else p_backlog"),),
    ),
    Bug(
        "a_resume_overlaps_routing",
        f"{EVENTS}/test_paused_events.py::test_a_change_of_a_dag_waits_for_events_that_are_being_routed_to_it",
        (("reactions/route_events.sql", r"tenuto\._lock_consumers\([^;]*;", "'{}';"),),
    ),
    Bug(
        "an_event_of_a_dag_that_is_being_changed_is_lost",
        f"{EVENTS}/test_open_transactions.py::test_a_delayed_event_charges_no_attempt",
        (("reactions/route_events.sql", r"if v_changing <> '\{\}' then", "if false then"),),
    ),
    Bug(
        "a_build_does_not_wait_for_its_sinks",
        "tests/sql/datasets/test_flush_sinks.py::test_a_build_waits_for_the_rows_of_its_sinks",
        (("reactions/builds/_follow_build.sql", r" or v_sinks\.waiting", ""),),
    ),
    Bug(
        "rows_that_wait_for_a_sink_are_deleted",
        "tests/sql/datasets/test_flush_sinks.py::test_rows_that_wait_for_a_sink_are_not_collected",
        (("datasets/_settle_row_set.sql", r"o\.status <> 'done'", "false"),),
    ),
    Bug(
        "dags_that_only_read_each_other_wait_for_each_other",
        f"{RACES}/test_loops.py::test_dags_that_read_each_other_never_wait_for_each_other[triggered]",
        (("datasets/_lock_loops.sql", r"if v_triggers is not null then", "if v_triggers then"),),
    ),
    Bug(
        "every_node_counts_as_one_of_a_loop",
        "tests/plans/test_loop_plans.py::test_a_search_for_loops_grows_with_the_edges",
        (("datasets/_follow_loops.sql", r"where n\.edges > 0", "where true"),),
    ),
)

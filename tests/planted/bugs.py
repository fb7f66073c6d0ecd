"""The bugs, and the test that notices each: a behaviour, never the text or the plan of the SQL."""

from tests.planted.compat_bugs import COMPAT_BUGS
from tests.planted.data_bugs import DATA_BUGS
from tests.planted.fleet_bugs import FLEET_BUGS
from tests.planted.metadata_bugs import METADATA_BUGS
from tests.planted.plant import Bug

RACES = "tests/races"
RUNS = "tests/sql/runs"
PARKING = "tests/dispatcher/test_parking.py"
LIMITED = r"array\(\s*select [^;]*\s+where tenuto\._has_limits\([^;]*\)\)\);"

BUGS = (
    Bug(
        "complete_without_fence",
        f"{RUNS}/attempts/test_complete_tasks.py::test_a_late_worker_cannot_complete_a_task_it_lost",
        (
            (
                "runs/attempts/_complete.sql",
                r"where t\.id = any \(v_ids\) and t\.attempt = .*? and t\.session_id = p_session_id",
                "where t.id = any (v_ids)",
            ),
        ),
    ),
    Bug(
        "late_completion_takes_the_task_back_from_the_reaper",
        f"{RACES}/test_ends.py::test_a_completion_and_the_reaper_never_both_win",
        (
            (
                "runs/attempts/_complete.sql",
                r"(    with ended as \(\n)",
                r"""    with back as (
      delete from tenuto.delayed_tasks d where d.id = any (v_ids) and d.attempt = v_attempt returning d.*
    )
    insert into tenuto.running_tasks
      (queued_at, started_at, session_id, id, org_id, run_id, claim_no, route_id, group_no, priority, attempt, flags)
    select b.available_at, b.available_at, p_session_id, b.id, b.org_id, b.run_id, 0, b.route_id, b.group_no,
           b.priority, b.attempt, b.flags
    from back b;
\1""",
            ),
        ),
    ),
    Bug(
        "claim_without_materialized",
        f"{RUNS}/test_promises.py::test_a_claim_takes_no_more_than_its_limit_whatever_the_statistics_say",
        (
            (
                "runs/claim/_claim.sql",
                r"with taken as \(\s+delete from tenuto\.ready_tasks where ctid = any \(v_found\.due\)(\s+returning)",
                r"""
  with taken as (
    delete from tenuto.ready_tasks k
    using unnest(v_share.groups, v_share.shares) as g(no, share)
    where k.group_no = g.no
      and k.id in (
        select q.id
        from tenuto.ready_lanes l
        join tenuto.ready_tasks q on (q.route_id, q.group_no, q.priority) = (l.route_id, l.group_no, l.priority)
        where q.seq >= l.floor and l.route_id = any (v_routes) and l.group_no = g.no
        order by l.priority desc, q.seq
        limit g.share
        for update of q skip locked)\1""",
            ),
        ),
    ),
    Bug(
        "release_by_not_exists",
        f"{RACES}/test_ends.py::test_the_last_two_parents_release_their_child_once",
        (
            (
                "runs/dependencies/_release.sql",
                r"    queued := tenuto\._count_down\(v_children, v_counts\);",
                """
  select array_agg(p.id), array_agg(p.remaining) into v_children, v_counts
  from tenuto.pending_tasks p
  where p.id = any (v_children)
    and not exists (
      select from tenuto.task_dependencies d
      where d.child_id = p.id
        and not exists (select from tenuto.task_attempts a where a.task_id = d.parent_id and a.end_no = 0));
  queued := tenuto._count_down(v_children, v_counts);""",
            ),
        ),
    ),
    Bug(
        "unordered_batch_lock",
        f"{RACES}/test_lock_order.py::test_batches_that_list_the_same_tasks_in_another_order_do_not_deadlock[complete]",
        (
            (
                "runs/attempts/_complete.sql",
                r"(    with ended as \(\n)",
                r"""    for i in 1..cardinality(v_ids)
    loop
      perform from tenuto.running_tasks t where t.id = v_ids[i] for update;
    end loop;
\1""",
            ),
        ),
    ),
    Bug(
        "duplicate_completion_counts_down_again",
        f"{RACES}/test_ends.py::test_a_completion_sent_twice_at_once_is_accepted_once",
        (
            (
                "runs/attempts/_complete.sql",
                r"if \S*followed is not null then(\s+)v_released := tenuto\._release\(\S*followed",
                r"if true then\1v_released := tenuto._release(p_task_ids",
            ),
        ),
    ),
    Bug(
        "an_ended_session_is_renewed",
        f"{RACES}/test_sessions.py::test_a_session_is_renewed_or_expired_never_both",
        (("workers/_renew_session.sql", r"and ended_at is null", ""),),
    ),
    Bug(
        "an_effect_is_finished_without_owning_it",
        f"{RACES}/test_outbox.py::test_an_effect_taken_over_while_its_first_owner_finishes_is_done_by_one_of_them",
        (("outbox/finish_effects.sql", r"and locked_by = p_owner", ""),),
    ),
    Bug(
        "an_attempt_number_is_used_again",
        f"{RUNS}/test_promises.py::test_an_attempt_that_was_forgotten_and_claimed_again_is_fenced_by_its_number",
        (
            ("runs/claim/_claim.sql", r"attempt \+ 1", "greatest(attempt, 1)"),
            ("runs/claim/_take_one.sql", r"attempt \+ 1", "greatest(attempt, 1)"),
        ),
    ),
    Bug(
        "row_security_is_off",
        f"{RUNS}/test_promises.py::test_a_query_that_forgets_the_org_still_sees_only_its_own_rows[tenuto_api]",
        (("policies.sql", r"enable row level security", "disable row level security"),),
    ),
    Bug(
        "the_policy_shows_every_org",
        f"{RUNS}/test_promises.py::test_a_query_that_forgets_the_org_still_sees_only_its_own_rows[tenuto_readonly]",
        (
            (
                "policies.sql",
                r"drop policy if exists an_org_sees_its_own_rows on %s', v_table.name\);",
                r"\g<0> execute format('create policy everybody_sees_all on %s using (true)', v_table.name);",
            ),
        ),
    ),
    Bug(
        "a_waiting_parent_keeps_its_limit_slot",
        f"{RUNS}/test_promises.py::test_a_waiting_parent_gives_its_limit_slot_to_its_child",
        (("runs/waits/wait_tasks.sql", LIMITED, "null);"),),
    ),
    Bug(
        "slots_of_a_lost_task_are_not_handed_over",
        f"{RUNS}/test_promises.py::test_a_limited_task_that_is_lost_hands_its_slot_over_at_once",
        (("runs/attempts/expire_attempts.sql", LIMITED, "null);"),),
    ),
    Bug(
        "already_accepted_from_a_row_of_the_reaper",
        f"{RUNS}/attempts/test_repeated_reports.py::test_an_end_that_the_database_recorded_was_not_reported[3-lost]",
        (("runs/attempts/_ended_as.sql", r"p_attempt\.reported\s+and case", "case"),),
    ),
    Bug(
        "a_beat_takes_back_what_was_claimed_meanwhile",
        f"{RACES}/test_claims.py::test_an_attempt_claimed_while_a_heartbeat_is_on_its_way_stays",
        (("runs/attempts/heartbeat.sql", r"and r\.claim_no <= p_settled", ""),),
    ),
    Bug(
        "cancel_locks_pending_before_running",
        f"{RACES}/test_lock_order.py::test_a_cancel_stopped_at_a_running_task_lets_another_task_complete",
        (
            (
                "runs/lifecycle/_cancel_tasks.sql",
                r"(  perform from tenuto\.running_tasks.*?)(  v_pending := .*?\.pending_tasks.*?for update;\n)",
                r"\2\1",
            ),
        ),
    ),
    Bug(
        "a_removed_lane_stays_invisible",
        f"{RACES}/test_starts.py::test_a_task_started_while_its_lane_is_removed_is_seen_by_the_next_claim",
        (
            ("runs/lanes/_announce_lanes.sql", r"l\.empty_since > tenuto\.now\(\) - interval '30 seconds'", "true"),
            ("runs/lanes/_announce_lanes.sql", r"tenuto\._in_transaction\(\)", "false"),
        ),
    ),
    Bug(
        "short_start_leaves_a_removed_lane_invisible",
        f"{RACES}/test_starts.py::test_a_task_started_the_short_way_while_its_lane_is_removed_is_seen_by_a_claim",
        (
            ("runs/start/_start_single_task.sql", r"l\.empty_since > tenuto\.now\(\) - interval '30 seconds'", "true"),
            ("runs/start/_start_single_task.sql", r"or not p_alone and tenuto\._in_transaction\(\)", ""),
        ),
    ),
    Bug(
        "a_late_start_does_not_lower_the_floor_of_its_limit",
        f"{RUNS}/limits/test_limit_floors.py::test_a_start_that_commits_late_is_admitted[key]",
        (("runs/lanes/_follow_lines.sql", r"  perform tenuto\._lower_limit_floors\([^;]*;", ""),),
    ),
    Bug(
        "a_task_that_changes_lines_does_not_lower_the_floor",
        f"{RUNS}/limits/test_limit_floors.py::test_a_task_that_moves_to_the_line_of_its_next_limit_is_admitted",
        (("runs/limits/_fill_limits.sql", r"    perform tenuto\._lower_limit_floors\([^;]*;", ""),),
    ),
    Bug(
        "a_start_locks_its_limit",
        f"{RUNS}/lanes/test_open_transactions.py::test_others_under_the_same_limit_go_on[limit in use-key]",
        (("runs/limits/_queue_for_limits.sql", r"begin\n", r"\g<0>  perform from tenuto.limits for no key update;\n"),),
    ),
    Bug(
        "dedupe_in_one_statement",
        f"{RACES}/test_starts.py::test_two_graphs_with_one_dedupe_key_make_one_run_and_both_name_it",
        (
            (
                "runs/start/_dedupe_run.sql",
                r"  insert into tenuto\.dedupe_keys.*d\.key = p_key;",
                """
  with new as (
    insert into tenuto.dedupe_keys (org_id, scope, key, run_id, created_at)
    values (p_org_id, v_scope, p_key, p_run_id, tenuto.now())
    on conflict on constraint a_key_is_taken_once do nothing
    returning dedupe_keys.run_id as id
  )
  select coalesce((select n.id from new n), (select d.run_id from tenuto.dedupe_keys d
                                             where d.org_id = p_org_id and d.scope = v_scope and d.key = p_key)),
         exists (select from new)
  into run_id, created;""",
            ),
        ),
    ),
    Bug(
        "two_folds_count_an_end_twice",
        f"{RACES}/test_ends.py::test_two_folds_count_an_end_once",
        (
            ("runs/lifecycle/fold_runs.sql", r"for no key update skip locked", ""),
            (
                "runs/lifecycle/fold_runs.sql",
                r"delete from tenuto\.run_counts where run_id = any \(v_runs\) returning \*",
                "select * from tenuto.run_counts where run_id = any (v_runs)",
            ),
            (
                "runs/lifecycle/fold_runs.sql",
                r"where r\.id = s\.run_id;",
                r"\g<0> delete from tenuto.run_counts where run_id = any (v_runs);",
            ),
        ),
    ),
    Bug(
        "a_loss_costs_nothing",
        f"{RUNS}/test_promises.py::test_a_task_that_always_kills_its_worker_ends",
        (("runs/attempts/expire_attempts.sql", r"\(g\.running, 'loss', false", "(g.running, null, false"),),
    ),
    Bug(
        "large_inputs_fail_the_claim",
        f"{RUNS}/claim/test_get_inputs.py::test_a_fan_in_over_256_mb_is_claimed_and_its_neighbours_too",
        (("runs/claim/_task_slot_values.sql", r"coalesce\(sum\(pg_column_size[^<]*<", "0 <"),),
    ),
    Bug(
        "groups_are_drawn_by_their_numbers",
        f"{RUNS}/claim/test_many_groups.py::test_groups_with_sparse_numbers_are_all_served",
        (("runs/claim/_groups_around.sql", r"hashint4\(q\.group_no\)", "q.group_no"),),
    ),
    Bug(
        "a_quota_is_counted_without_a_lock",
        f"{RACES}/test_claims.py::test_two_claims_at_once_keep_a_group_within_its_quota",
        (("runs/claim/_apply_quotas.sql", r"for no key update skip locked", ""),),
    ),
    Bug(
        "a_report_is_deleted_by_ctid",
        f"{RACES}/test_reports.py::test_a_report_is_accepted_while_progress_is_on_its_way[fail]",
        (
            ("runs/attempts/_take_running.sql", r"select t\.id\n", "select t.ctid as tid\n"),
            (
                "runs/attempts/_take_running.sql",
                r"where id = any \(array\(select id from held\)\)",
                "where ctid = any (array(select tid from held))",
            ),
        ),
    ),
    Bug(
        "a_beat_locks_the_session_before_the_worker",
        f"{RACES}/test_sessions.py"
        "::test_whoever_ends_a_session_and_whoever_looks_after_it_never_wait_for_each_other[register-beat-workers]",
        (
            (
                "workers/_renew_session.sql",
                r"(  update tenuto\.workers w.*?;\n)\n(  update tenuto\.sessions.*?end if;\n)",
                r"\2\1",
            ),
        ),
    ),
    Bug(
        "a_wait_does_not_lock_its_children_out",
        f"{RACES}/test_waits.py::test_a_parent_that_waits_while_its_child_ends_wakes[complete]",
        (("runs/waits/_await_children.sql", r"order by id for update;", ";"),),
    ),
    Bug(
        "an_open_cancel_holds_its_tasks",
        f"{RUNS}/lifecycle/test_open_transactions.py"
        "::test_a_running_task_completes_while_its_cancel_is_open[cancel_run]",
        (
            (
                "runs/lifecycle/_cancel_run.sql",
                r"perform tenuto\._request_cancel\(",
                "perform tenuto._cancel_tasks(array[p_run_id], p_reason);\n    perform tenuto._request_cancel(",
            ),
        ),
    ),
    Bug(
        "a_signal_and_its_waiter_miss_each_other",
        f"{RACES}/test_waits.py::test_a_task_that_waits_while_its_signal_is_sent_wakes",
        (("runs/waits/_wake_signalled.sql", r"perform tenuto\._lock_signals\(.*?\);", ""),),
    ),
    Bug(
        "a_child_uses_limits_of_other_queues",
        f"{RUNS}/limits/test_owned_limits.py::test_a_child_neither_resizes_nor_holds_a_limit_of_another_queue[queue]",
        (("runs/types/_check_limit_owners.sql", r"where not tenuto\._owns_limit\(.*?\)\n", "where false\n"),),
    ),
    Bug(
        "a_bound_worker_declares_limits_of_other_queues",
        f"{RUNS}/limits/test_owned_limits.py::test_a_limit_that_tasks_of_another_queue_created_is_not_taken_over[key]",
        (("runs/types/_declare_limits.sql", r"and tenuto\._owns_limit\(.*?\)\n", "\n"),),
    ),
    Bug(
        "rate_forgets_its_window",
        f"{RUNS}/limits/test_admit_rates.py::test_no_window_ever_holds_more_than_the_size[10-0.1]",
        (("runs/limits/_rate_share.sql", r"p_rate\.size - v_used, ", ""),),
    ),
    Bug(
        "schedule_fires_without_comparing",
        "tests/sql/reactions/test_fire_schedule.py::test_what_changed_meanwhile_is_not_ours_to_fire[paused]",
        (("reactions/fire_schedules.sql", r" and s\.next_at = \w\.expected and s\.paused_at is null", ""),),
    ),
    Bug(
        "a_row_that_fails_is_not_parked",
        f"{PARKING}::test_a_poisoned_row_of_one_org_is_parked_and_another_orgs_row_is_served[promote_due]",
        (("shared/park_rows.sql", r"  order by n\.key\n", "  where false\n"),),
    ),
    Bug(
        "parked_rows_are_not_left_out",
        f"{PARKING}::test_a_poisoned_row_of_one_org_is_parked_and_another_orgs_row_is_served[promote_due]",
        (("shared/_parked.sql", r"p\.loop = p_loop", "false"),),
    ),
    Bug(
        "rows_of_one_org_hide_those_of_others",
        "tests/sql/shared/test_parked_rows.py::test_the_rows_of_a_loop_are_picked_org_by_org_without_what_is_parked",
        (("monitoring/changes/pick_rows.sql", r"partition by d\.org_id ", ""),),
    ),
    Bug(
        "same_code_gets_the_task_it_cannot_continue",
        f"{RUNS}/attempts/test_block_tasks.py::test_only_a_worker_with_other_code_gets_it",
        (("runs/routes/_served_routes.sql", r" and \(r\.blocked_versions = .*?\);", ";"),),
    ),
    Bug(
        "a_blocked_task_is_charged",
        f"{RUNS}/attempts/test_block_tasks.py::test_a_blocked_task_waits_without_a_charge_and_says_why",
        (("runs/attempts/block_tasks.sql", r"v_running, 'blocked'", "v_running, 'retrying'"),),
    ),
    Bug(
        "blocked_tasks_of_one_org_hide_those_of_others",
        f"{RUNS}/attempts/test_block_tasks.py::test_many_blocked_tasks_of_one_org_do_not_delay_another_org",
        (
            ("runs/attempts/unblock_tasks.sql", r"limit case [^;]*? end\n", "limit p_limit\n"),
            ("runs/attempts/unblock_tasks.sql", r"(skip locked\) d\n)", r"\1 order by r.id limit p_limit\n"),
        ),
    ),
    Bug(
        "loss_is_charged_as_a_failure",
        f"{RUNS}/attempts/test_lose_tasks.py::test_losses_can_have_a_budget_of_their_own",
        (("runs/attempts/lose_tasks.sql", r"\(t, 'loss', false", "(t, 'failure', false"),),
    ),
    Bug(
        "due_work_before_its_floor_is_never_searched",
        f"{RUNS}/lanes/test_due_floors.py::test_a_delayed_start_that_commits_after_its_time_runs",
        (("runs/lanes/_move_due_floors.sql", r"(delayed_tasks d order by d\.available_at) limit 1", r"\1 limit 0"),),
    ),
    Bug(
        "a_close_does_not_wait_for_tasks_that_are_being_added",
        f"{RUNS}/lifecycle/test_close_run.py::test_a_client_that_is_adding_tasks_makes_nobody_wait",
        (("runs/start/_lock_open_run.sql", r"\n  for key share of o;", ";"),),
    ),
    Bug(
        "a_cancel_ends_while_tasks_are_being_added",
        f"{RUNS}/lifecycle/test_close_run.py::test_a_client_that_is_adding_tasks_makes_nobody_wait",
        (("runs/lifecycle/sweep_cancelled.sql", r" and c\.id <> all \(v_open\);", ";"),),
    ),
    Bug(
        "a_limit_that_shrinks_stays_full",
        f"{RUNS}/limits/test_full_limits.py::test_a_limit_that_shrinks_gives_no_slot_until_enough_came_back",
        (("runs/limits/_give_slots.sql", r"when l\.full_size = l\.size then", "when l.full_size is not null then"),),
    ),
    Bug(
        "a_task_that_stays_in_its_lane_stops_it",
        f"{RUNS}/claim/test_postpone_unclaimable.py::test_tasks_that_cannot_be_removed_from_their_lane_are_passed_over",
        (("runs/claim/_pass_over.sql", r"set floor = p_seq \+ 1", "set floor = l.floor"),),
    ),
    *COMPAT_BUGS,
    *DATA_BUGS,
    *FLEET_BUGS,
    *METADATA_BUGS,
)

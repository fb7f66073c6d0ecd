-- Does the same as retry_run, without an audit entry, for callers that write one entry for several runs.
create or replace function tenuto._retry_run(
  p_org_id uuid, p_run_id uuid, p_reuse boolean default true, p_force boolean default false,
  p_from_name text default null)
  returns uuid
  language plpgsql
as $$
declare
  v_run tenuto.runs;
  v_base uuid := tenuto._uuid7();
  v_id uuid;
  v_large boolean;
  v_again uuid[] := '{}';
  v_replay uuid[];
  v_kept uuid[];
  v_due bigint;
  v_handlers int := 0;
begin
  perform tenuto._require_read_committed();
  -- The run is locked, so that it is not deleted while its tasks are copied, and so that the second of two retries sees
  -- the first.
  perform from tenuto.runs where id = p_run_id and org_id = p_org_id for no key update;
  v_run := tenuto._final_run(p_org_id, p_run_id);
  if v_run.deleted_tasks is not null then
    perform tenuto._raise('TN004', format('run %s cannot be retried: %s of its tasks were deleted', p_run_id,
      v_run.deleted_tasks), 'start it again');
  end if;
  if p_from_name is not null and not p_reuse then
    perform tenuto._raise('TN003', 'a retry from a task or step always reuses the tasks before it', 'retry with reuse');
  elsif p_from_name is not null then
    perform tenuto._check_from_name(p_run_id, p_from_name);
  end if;
  v_large := coalesce(v_run.total, 1) > tenuto._request_piece();
  -- A run that was started with one task has that task's id, so that the run's type can be found. The retry keeps this
  -- rule.
  v_id := case when exists (select from tenuto.tasks where id = p_run_id)
               then tenuto._copy_id(v_base, p_run_id)
               else v_base end;
  if v_large then
    v_due := case when p_reuse and p_from_name is null then v_run.failed + v_run.cancelled else 1 end;
  else
    select coalesce(array_agg(t.id order by t.place, t.id) filter (where t.again), '{}'),
           coalesce(array_agg(t.id) filter (where t.replay), '{}'),
           coalesce(array_agg(t.id order by t.place, t.id) filter (where not t.again), '{}'),
           count(*) filter (
             where t.again
               and not (p_reuse and t.handler is not null and t.outcome in ('completed', 'skipped'))),
           count(t.handler) filter (where t.again)
    into v_again, v_replay, v_kept, v_due, v_handlers
    from tenuto._tasks_to_rerun(p_run_id, p_reuse, p_from_name) t;
  end if;
  if v_due = 0 then
    perform tenuto._raise('TN004',
      format('run %s %s: there is nothing to retry', p_run_id, coalesce(v_run.status, 'completed')),
      'retry without reuse to run all of its tasks again');
  end if;
  update tenuto.runs r
  set retried_by = v_id
  where r.id = p_run_id
    and (p_force or r.retried_by is null or not exists (select from tenuto.runs n where n.id = r.retried_by));
  if not found then
    perform tenuto._raise('TN004', format('run %s was retried by run %s', p_run_id, v_run.retried_by),
      format('retry run %s, or force another retry of run %s', v_run.retried_by, p_run_id));
  end if;

  insert into tenuto.runs (id, org_id, group_no, name, single_task, status, max_attempts, total, completed, failed,
    cancelled, skipped, untolerated_failures, handlers, input, metadata, retry_of, created_at)
  select v_id, org_id, group_no, name, single_task,
         case when not single_task then 'pending' end,
         max_attempts,
         case when not single_task then cardinality(v_again) + v_large::int end,
         case when not single_task then 0 end,
         case when not single_task then 0 end,
         case when not single_task then 0 end,
         case when not single_task then 0 end,
         case when not single_task then 0 end,
         v_handlers, input, metadata, p_run_id, tenuto.now()
  from tenuto.runs
  where id = p_run_id;
  if v_large then
    insert into tenuto.run_requests (run_id, verb, org_id, source_id, base_id, reuse, from_name, requested_at,
      worked_at)
    values (v_id, 'retry', p_org_id, p_run_id, v_base, p_reuse, p_from_name, tenuto.now(), tenuto.now());
    return v_id;
  end if;

  perform tenuto._carry_over_tasks(v_id, v_base, v_kept);
  perform tenuto._copy_tasks(v_id, 1, v_base, v_again, v_replay, p_from_name);
  perform tenuto._copy_run(p_run_id, v_id, v_base, p_reuse);
  perform tenuto._make_ready(tenuto._release_copies(v_base, v_again));
  perform tenuto._wake_ready(array[p_org_id]);
  return v_id;
end
$$;

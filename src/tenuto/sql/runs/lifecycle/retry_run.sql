-- Starts a final run again as a new run (retry_of) and returns its id. p_reuse: tasks that completed keep their output
-- and are not executed again, unless they depend on one that is. The tasks of a large run are copied afterwards, in
-- pieces (advance_requests); none of them starts before all are copied, and until then the new run counts one task more
-- than it has, so that it cannot end.
create or replace function tenuto.retry_run(p_org_id uuid, p_run_id uuid, p_reuse boolean default true)
  returns uuid
  language plpgsql
as $$
declare
  v_run tenuto.runs;
  v_base uuid := tenuto._uuid7();
  v_id uuid;
  v_large boolean;
  v_again uuid[] := '{}';
  v_kept uuid[];
  v_due bigint;
  v_handlers int := 0;
begin
  -- Locked, so that it is not deleted while its tasks are copied.
  perform from tenuto.runs where id = p_run_id and org_id = p_org_id for key share;
  v_run := tenuto._final_run(p_org_id, p_run_id);
  v_large := coalesce(v_run.total, 1) > tenuto._request_piece();
  v_id := case when v_run.single_task then tenuto._copy_id(v_base, p_run_id) else v_base end;
  if v_large then
    v_due := case when p_reuse then v_run.failed + v_run.cancelled else 1 end;
  else
    select coalesce(array_agg(t.id order by t.place, t.id) filter (where t.again), '{}'),
           coalesce(array_agg(t.id order by t.place, t.id) filter (where not t.again), '{}'),
           count(*) filter (
             where t.again
               and not (p_reuse and t.handler is not null and t.outcome in ('completed', 'skipped'))),
           count(t.handler) filter (where t.again)
    into v_again, v_kept, v_due, v_handlers
    from tenuto._tasks_to_rerun(p_run_id, p_reuse) t;
  end if;
  if v_due = 0 then
    perform tenuto._raise('TN004', format('run %s completed: there is nothing to retry', p_run_id),
      'retry without reuse to run all of its tasks again');
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
    insert into tenuto.run_requests (run_id, verb, org_id, source_id, reuse, requested_at, worked_at)
    values (v_id, 'retry', p_org_id, p_run_id, p_reuse, tenuto.now(), tenuto.now());
    return v_id;
  end if;

  perform tenuto._carry_over_tasks(v_id, v_base, v_kept);
  perform tenuto._copy_tasks(v_id, 1, v_base, v_again);
  perform tenuto._copy_run(p_run_id, v_id, v_base);
  perform tenuto._make_ready(tenuto._release_copies(v_base, v_again));
  perform tenuto._wake_ready(array[p_org_id]);
  return v_id;
end
$$;

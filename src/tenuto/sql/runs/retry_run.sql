-- A final run is started again as a new run (retry_of). p_reuse: tasks that completed keep their output and are not
-- executed again. Answers the new run.
create or replace function tenuto.retry_run(p_org_id uuid, p_run_id uuid, p_reuse boolean default true)
  returns uuid
  language plpgsql
as $$
declare
  v_run tenuto.runs;
  v_id uuid := tenuto._uuid7();
  v_old uuid[];
  v_new uuid[];
  v_kept uuid[];
  v_kept_new uuid[];
begin
  perform from tenuto.runs where id = p_run_id and org_id = p_org_id for key share;   -- nobody deletes it while its tasks are copied
  v_run := tenuto._final_run(p_org_id, p_run_id);
  v_old := array(select i from tenuto._tasks_to_rerun(p_run_id, p_reuse) i order by i);
  if not exists (select from tenuto.tasks t join tenuto.task_attempts a on a.task_id = t.id and a.end_no = 0
                 where t.id = any (v_old) and not (p_reuse and t.handler is not null and a.outcome in ('completed', 'skipped'))) then
    perform tenuto._raise('TN004', format('run %s completed: there is nothing to retry', p_run_id), 'retry without reuse to execute all of it again');
  end if;
  v_new := case when v_run.alone then array[v_id] else array(select tenuto._uuid7() from unnest(v_old) order by 1) end;
  if p_reuse and not v_run.alone then
    v_kept := array(select t.id from tenuto._run_tasks(p_run_id) t
                    join tenuto.task_attempts a on a.task_id = t.id and a.end_no = 0
                    where t.id <> all (v_old) and a.outcome in ('completed', 'skipped') and t.parent_id is null
                      and not exists (select from tenuto._run_tasks(p_run_id) c where c.copy_of = t.id)
                    order by t.id);
  end if;
  v_kept_new := array(select tenuto._uuid7() from unnest(v_kept) order by 1);

  insert into tenuto.runs (id, org_id, group_no, name, alone, status, max_attempts, total, completed, failed, cancelled, skipped, spoiled,
    handlers, input, metadata, retry_of, created_at)
  select v_id, org_id, group_no, name, alone, case when not alone then 'pending' end, max_attempts,
    case when not alone then cardinality(v_old) end, case when not alone then 0 end, case when not alone then 0 end,
    case when not alone then 0 end, case when not alone then 0 end, case when not alone then 0 end,
    (select count(*) from tenuto.tasks t where t.id = any (v_old) and t.handler is not null), input, metadata, p_run_id, tenuto.now()
  from tenuto.runs where id = p_run_id;

  perform tenuto._copy_references(v_old || v_kept || p_run_id, v_new || v_kept_new || v_id);
  perform tenuto._keep_tasks(v_id, v_kept, v_kept_new);
  insert into tenuto.run_slots (run_id, position, org_id, type, source_task_id, source_position)
  select v_id, s.position, s.org_id, s.type, m.new, s.source_position
  from tenuto.run_slots s
  join unnest(v_old || v_kept, v_new || v_kept_new) m(old, new) on m.old = s.source_task_id
  where s.run_id = p_run_id;
  perform tenuto._make_ready(tenuto._copy_tasks(v_id, v_run.alone, 1, v_old, v_new, v_kept, v_kept_new));
  perform tenuto._wake('*');
  return v_id;
end
$$;

-- One task with its live state, output and error. The plan is kept: making it took ten times as long as the answer.
create or replace function tenuto.get_task(p_org_id uuid, p_task_id uuid)
  returns tenuto.task_status
  language plpgsql
  stable
  set plan_cache_mode = force_generic_plan
  set enable_seqscan = off
  set enable_hashjoin = off
  set enable_mergejoin = off
  set jit = off
as $$
declare
  v_task tenuto.task_status;
begin
  select t.* into v_task from tenuto.task_status t where t.id = p_task_id and t.org_id = p_org_id;
  if not found then
    perform tenuto._raise('TN001', format('no task %s', p_task_id), 'the list of tasks shows those there are');
  end if;
  return v_task;
end
$$;

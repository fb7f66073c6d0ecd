-- Takes the ends of tasks of a build, of the next p_limit after a task: forgets those that completed and whose events
-- are routed, and marks those that ended in another way. Returns how many, the last task that was looked at if there
-- may be more, the end of the first that did not complete, and whether a rollback cancelled one of them. A task that
-- retention took has ended too.
create or replace function tenuto._take_build_ends(
  p_org_id uuid, p_version_id uuid, p_after uuid, p_limit int, out completed int, out failed int, out last uuid,
  out error text, out rolled_back boolean)
  language plpgsql
  set plan_cache_mode = force_custom_plan
as $$
declare
  v_looked uuid[] := array(
    select b.task_id
    from tenuto.build_tasks b
    where b.dag_version_id = p_version_id and not b.failed and (p_after is null or b.task_id > p_after)
    order by b.task_id
    limit p_limit);
  v_ended record;
begin
  select array_agg(i.id) filter (where e.outcome = 'completed' and o.status is null) as completed,
         array_agg(i.id order by i.id) filter (where e.outcome <> 'completed' or o.status = 'dead') as failed,
         coalesce(bool_or(e.rolled_back), false) as rolled_back
  into v_ended
  from unnest(v_looked) i(id)
  left join lateral (
    select a.outcome, a.outcome = 'cancelled' and tenuto._is_rolled_back(a.error) as rolled_back
    from tenuto.task_attempts a
    where a.task_id = i.id and a.end_no = 0
    limit 1) a on true
  cross join lateral (
    select coalesce(a.outcome,
             case when not exists (select from tenuto.tasks t where t.id = i.id) then 'completed' end) as outcome,
           a.rolled_back) e
  left join lateral (
    select o.status
    from tenuto.outbox o
    where o.org_id = p_org_id and o.scope = 'route_event' and o.key = i.id::text and o.status <> 'done') o on true;

  delete from tenuto.build_tasks where dag_version_id = p_version_id and task_id = any (v_ended.completed);
  update tenuto.build_tasks set failed = true where dag_version_id = p_version_id and task_id = any (v_ended.failed);
  completed := coalesce(cardinality(v_ended.completed), 0);
  failed := coalesce(cardinality(v_ended.failed), 0);
  rolled_back := v_ended.rolled_back;
  last := case when cardinality(v_looked) = p_limit then v_looked[p_limit] end;
  if failed > 0 then
    select format('task %s of job %s%s: %s', t.id, t.input #>> '{job,job}',
             coalesce(' for ' || (t.input #>> '{job,partition}'), ''),
             coalesce(left(a.error ->> 'message', 500), left(a.error ->> 'reason', 500), a.outcome))
    into error
    from tenuto.tasks t
    left join lateral (select a.* from tenuto.task_attempts a where a.task_id = t.id and a.end_no = 0 limit 1) a on true
    where t.id = v_ended.failed[1];
  end if;
end
$$;

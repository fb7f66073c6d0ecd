-- running -> queued | failed (lost): takes the tasks away from workers that the caller knows to be dead, and marks
-- these workers as failed. A loss counts as an attempt, so a task that kills its workers ends as failed. Returns how
-- many tasks are queued again. Unknown workers are ignored.
create or replace function tenuto_compat.func_reset_orphaned_tasks(failed_worker_ids text[])
  returns int
  language plpgsql
as $$
declare
  v_org_id uuid := tenuto_compat._org_id();
  v_worker record;
  v_ids uuid[];
begin
  if failed_worker_ids is null or array_position(failed_worker_ids, null) is not null then
    perform tenuto._raise('TN003', format('failed_worker_ids %s null',
      case when failed_worker_ids is null then 'is' else 'contains' end),
      'pass the ids of the workers that have died; an empty list resets nothing');
  end if;
  for v_worker in
    select w.id, w.status
    from tenuto.workers w
    where w.org_id = v_org_id
      and w.id = any (failed_worker_ids)
    order by w.id
    for no key update
  loop
    if v_worker.status <> 'terminated' then
      perform tenuto.fail_worker(v_org_id, v_worker.id, 'reported by func_reset_orphaned_tasks');
    end if;
  end loop;

  v_ids := array(
    select r.id
    from tenuto.sessions s
    join tenuto.running_tasks r on r.session_id = s.id
    where s.org_id = v_org_id
      and s.worker_id = any (failed_worker_ids)
      and s.ended_at is not null);
  perform tenuto.expire_attempts(cardinality(v_ids), v_ids::text[]);
  perform tenuto.promote_due(cardinality(v_ids), v_ids::text[]);
  return (
    select count(*)
    from unnest(v_ids) t(id)
    where not exists (select from tenuto.running_tasks r where r.id = t.id)
      and not exists (select from tenuto.task_attempts a where a.task_id = t.id and a.end_no = 0));
end
$$;

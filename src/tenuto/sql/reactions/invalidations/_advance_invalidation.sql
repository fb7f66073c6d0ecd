-- running -> completed | failed, when events for all partitions are written and all tasks that these events started
-- have ended. running -> failed, if events cannot be routed. While events remain to be written, each call writes those
-- of the next partitions, but only after the previous events were routed and their tasks have ended. Counts the
-- completed and failed tasks per job. The invalidation stays running while a job that reads the dataset is paused or
-- held.
create or replace function tenuto._advance_invalidation(p_invalidation tenuto.data_invalidations)
  returns void
  language plpgsql
as $$
declare
  -- Read before the tasks: once the effect is done, the statements below see the tasks that it started.
  v_effect text := (
    select o.status
    from tenuto.outbox o
    where o.org_id = p_invalidation.org_id and o.scope = 'route_event' and o.key = p_invalidation.effect);
  v_ends record := tenuto._take_repair_ends(p_invalidation.org_id, p_invalidation.id, p_invalidation.after_task, 1000);
  v_is_open boolean := exists (
    select from tenuto.repair_tasks t where t.repair_id = p_invalidation.id and not t.failed);
  v_is_routed boolean := coalesce(v_effect, 'done') in ('done', 'dead');
  v_paused text;
  v_failed boolean;
begin
  insert into tenuto.invalidation_consumers as c (invalidation_id, job_key, direct, org_id, completed, failed)
  select p_invalidation.id, e.job_key, e.direct, p_invalidation.org_id, e.completed, e.failed
  from jsonb_to_recordset(v_ends.ends) as e(job_key uuid, direct boolean, completed bigint, failed bigint)
  on conflict (invalidation_id, job_key, direct) do update
    set completed = c.completed + excluded.completed, failed = c.failed + excluded.failed;
  update tenuto.data_invalidations i
  set error = coalesce(i.error, v_ends.error, case when v_effect = 'dead' then 'its events cannot be routed' end),
      after_task = v_ends.last,
      moved_at = case when v_ends.ends <> '[]' then tenuto.now() else i.moved_at end
  where i.id = p_invalidation.id
  returning i.* into p_invalidation;
  if v_is_routed and not v_is_open and not p_invalidation.is_planned and v_effect is distinct from 'dead' then
    perform tenuto._invalidate_piece(p_invalidation);
    return;
  end if;

  select min(format('job %s %s', j.name, case when k.paused_at is null then 'is held: ' || k.hold_reason
                                              else 'is paused' end)) into v_paused
  from tenuto.invalidation_consumers c
  join tenuto.job_controls k
    on k.org_id = c.org_id and k.job_key = c.job_key and coalesce(k.paused_at, k.held_at) is not null
  join tenuto.jobs j on j.org_id = k.org_id and j.job_key = k.job_key
  where c.invalidation_id = p_invalidation.id and c.direct and p_invalidation.invalidated > 0;
  if v_is_routed and p_invalidation.is_planned and v_effect is distinct from 'dead' then
    update tenuto.invalidation_consumers c
    set done_at = tenuto.now()
    where c.invalidation_id = p_invalidation.id and c.done_at is null and c.failed = 0 and v_paused is null
      and not exists (
        select from tenuto.repair_tasks t
        where t.repair_id = p_invalidation.id and t.job_key = c.job_key and not t.failed);
  end if;
  v_is_open := v_effect is distinct from 'dead'
    and (v_is_open or not v_is_routed or not p_invalidation.is_planned or v_paused is not null);
  v_failed := v_effect = 'dead' or exists (
    select from tenuto.invalidation_consumers c where c.invalidation_id = p_invalidation.id and c.failed > 0);
  update tenuto.data_invalidations i
  set status = case when v_is_open then 'running' when v_failed then 'failed' else 'completed' end,
      error = case when v_failed then i.error else v_paused end,
      ended_at = case when not v_is_open then tenuto.now() end,
      due_at = case when v_is_open then tenuto.now()
                 + least(greatest((tenuto.now() - i.moved_at) / 4, interval '0.1 seconds'), interval '5 seconds') end
  where i.id = p_invalidation.id;
end
$$;

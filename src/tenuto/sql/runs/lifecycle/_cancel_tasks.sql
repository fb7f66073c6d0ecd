-- any state that is not final -> cancelled, for these tasks, in all tables. Running tasks are marked and end when their
-- workers see the mark; the others end now. Locks rows in the order of ADR 7: running, pending (with the dependents
-- that the cancel ends), parents, waiting, delayed, ready. Finds rows only by their ids: an `or` or an `in (select ..)`
-- would read the whole table. Pending handlers of a run are not cancelled, because they run after the cancel.
create or replace function tenuto._cancel_tasks(p_ids uuid[], p_reason text)
  returns void
  language plpgsql
  set plan_cache_mode = force_generic_plan
  set enable_seqscan = off
  set enable_bitmapscan = off
  set jit = off
as $$
declare
  v_pending uuid[];
  v_parents uuid[];
  v_queued tenuto.queued_task[];
begin
  if coalesce(cardinality(p_ids), 0) = 0 then
    return;
  end if;
  perform from tenuto.running_tasks where id = any (p_ids) order by id for update;
  update tenuto.running_tasks set cancel = true where id = any (p_ids) and not cancel;
  if found then
    perform tenuto._wake('!cancel');   -- workers send a heartbeat now instead of at their next interval
  end if;

  v_pending := p_ids || tenuto._dependents(p_ids, array_fill('cancelled'::text, array[cardinality(p_ids)]));
  perform from tenuto.pending_tasks where id = any (v_pending) order by id for update;
  v_parents := p_ids || array(
    select t.parent_id
    from unnest(p_ids) i
    cross join lateral (select t.parent_id from tenuto.tasks t where t.id = i limit 1) t
    where t.parent_id is not null);
  perform from tenuto.task_parents where id = any (v_parents) order by id for update;
  perform from tenuto.waiting_tasks where id = any (p_ids) order by id for update;
  perform from tenuto.delayed_tasks where id = any (p_ids) order by id for update;
  perform from tenuto.ready_tasks where id = any (p_ids) order by id for update;

  with pending as (
    delete from tenuto.pending_tasks where id = any (p_ids) and handler is null
    returning (id, org_id, run_id, route_id, group_no, priority, attempt, flags)::tenuto.queued_task as queued
  ), waiting as (
    delete from tenuto.waiting_tasks where id = any (p_ids)
    returning (id, org_id, run_id, route_id, group_no, priority, attempt, flags)::tenuto.queued_task as queued
  ), delayed as (
    delete from tenuto.delayed_tasks where id = any (p_ids)
    returning (id, org_id, run_id, route_id, group_no, priority, attempt, flags)::tenuto.queued_task as queued
  ), ready as (
    delete from tenuto.ready_tasks where id = any (p_ids)
    returning (id, org_id, run_id, route_id, group_no, priority, attempt, flags)::tenuto.queued_task as queued
  ), notes as (
    delete from tenuto.awaited_tasks where parent_id = any (p_ids)
  )
  select array_agg(queued) into v_queued
  from (
    select queued from pending
    union all select queued from waiting
    union all select queued from delayed
    union all select queued from ready) c;
  -- Marks tasks that were claimed after this call had locked running rows. Skips a row that another transaction has
  -- locked: that transaction is ending the task, and sweep_cancelled checks it again.
  update tenuto.running_tasks set cancel = true
  where ctid = any (array(
    select ctid from tenuto.running_tasks where id = any (p_ids) and not cancel order by id for update skip locked));
  if v_queued is not null then
    perform tenuto._record_ends(v_queued, 'cancelled', jsonb_build_object('reason', coalesce(p_reason, 'cancelled')));
    perform tenuto._make_ready(
      tenuto._propagate_end(v_queued, array_fill('cancelled'::text, array[cardinality(v_queued)])),
      array(select c.id from unnest(v_queued) c where tenuto._has_limits(c.flags)));
  end if;
end
$$;

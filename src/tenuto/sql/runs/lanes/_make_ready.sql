-- -> queued: makes the queued tasks claimable, or puts them in line for their limits. Releases the limit slots of the
-- tasks in p_freed and gives them to waiting tasks. This must be the last step of every transition: releasing slots
-- locks limits, and after limits only the transition's own rows may be locked. A start releases no slots, so it locks
-- no limits.
create or replace function tenuto._make_ready(p_queued tenuto.queued_task[], p_freed uuid[] default null)
  returns void
  language plpgsql
as $$
declare
  v_free tenuto.queued_task[];
  v_limited tenuto.queued_task[];
  v_limits bigint[] := '{}';
  v_slots int[];
begin
  -- Slots are released before tasks join a line: a task that joins a line again must not count as holding the slot that
  -- it has just released.
  if cardinality(p_freed) > 0 then
    with given as (
      delete from tenuto.limit_slots where task_id = any (p_freed) returning limit_id
    )
    select coalesce(array_agg(g.limit_id), '{}'), array_agg(g.slots)
    into v_limits, v_slots
    from (select limit_id, count(*)::int as slots from given group by limit_id) g;
  end if;

  if cardinality(p_queued) > 0 then
    if exists (select from tenuto.data_locality) then   -- nearly always there is none
      p_queued := tenuto._apply_locality(p_queued);
    end if;
    select array_agg(c) filter (where not tenuto._has_limits(c.flags)),
           array_agg(c) filter (where tenuto._has_limits(c.flags))
    into v_free, v_limited
    from unnest(p_queued) c;
    if v_free is not null then
      perform tenuto._enqueue_ready(v_free);
    end if;
    if v_limited is not null then
      perform tenuto._queue_for_limits(v_limited);
    end if;
  end if;

  if cardinality(v_limits) > 0 then
    perform from tenuto.limits where id = any (v_limits) order by scope, id for no key update;
    perform tenuto._fill_limits(v_limits, v_slots);
  end if;
end
$$;

-- -> queued: makes the queued tasks claimable, or puts them in line for their limits; gives the limit slots in p_freed
-- to waiting tasks. This is the last step of every transition: if slots are freed, it locks limits, and after these
-- nothing is locked but the transition's own rows. A start frees no slots, so it locks no limits.
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
  -- Freed before tasks go in line: a task that returns to a line must not count as holding the slot it just freed.
  if cardinality(p_freed) > 0 then
    with given as (
      delete from tenuto.limit_slots where task_id = any (p_freed) returning limit_id
    )
    select coalesce(array_agg(g.limit_id), '{}'), array_agg(g.slots)
    into v_limits, v_slots
    from (select limit_id, count(*)::int as slots from given group by limit_id) g;
  end if;

  if cardinality(p_queued) > 0 then
    if exists (select from tenuto.data_locality) then
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

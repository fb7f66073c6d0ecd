-- The cards become claimable, or wait for their limits; the slots of p_freed go to those who wait for them. The last
-- step of every transition: where slots are freed it locks limits, and nothing is locked after them but rows of its
-- own. A start frees none, so it locks none.
create or replace function tenuto._make_ready(p_cards tenuto.card[], p_freed uuid[] default null)
  returns void
  language plpgsql
as $$
declare
  v_free tenuto.card[];
  v_limited tenuto.card[];
  v_limits bigint[] := '{}';
begin
  -- Freed before anybody lines up: a task that goes back in line must not be taken to hold the slot it just gave back.
  if cardinality(p_freed) > 0 then
    with given as (
      delete from tenuto.limit_slots where task_id = any (p_freed) returning limit_id
    )
    select coalesce(array_agg(distinct limit_id), '{}') into v_limits from given;
  end if;

  if cardinality(p_cards) > 0 then
    if exists (select from tenuto.data_locality where hard) then
      p_cards := tenuto._localize(p_cards);
    end if;
    select array_agg(c) filter (where not tenuto._limited(c.traits)),
           array_agg(c) filter (where tenuto._limited(c.traits))
    into v_free, v_limited
    from unnest(p_cards) c;
    if v_free is not null then
      perform tenuto._enter_lanes(v_free);
    end if;
    if v_limited is not null then
      perform tenuto._queue_for_limits(v_limited);
    end if;
  end if;

  if cardinality(v_limits) > 0 then
    perform from tenuto.limits where id = any (v_limits) order by scope, id for no key update;
    perform tenuto._fill_limits(v_limits);
  end if;
end
$$;

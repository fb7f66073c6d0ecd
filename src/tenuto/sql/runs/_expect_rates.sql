-- Tells dispatchers that tasks wait for these rates. The last locks of a transition, in id order; rates that are looked
-- at soon enough anyway are not touched, so that starts do not wait for each other.
create or replace function tenuto._expect_rates(p_limit_ids bigint[])
  returns void
  language plpgsql
  set plan_cache_mode = force_custom_plan
as $$
declare
  v_ids bigint[] := array(
    select l.id from tenuto.limits l
    where l.id = any (p_limit_ids) and (l.due_at is null or l.due_at > greatest(l.paced_at, tenuto.now()))
    order by l.id
    for no key update);
begin
  update tenuto.limits l
  set due_at = greatest(l.paced_at, tenuto.now()), misses = 0
  where l.id = any (v_ids);
end
$$;

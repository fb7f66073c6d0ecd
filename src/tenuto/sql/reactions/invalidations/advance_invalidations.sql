-- Advances the invalidations that are due, at most p_limit: counts the tasks that have ended, and writes the next
-- events. With p_keys, advances only the invalidations with these ids, even if they are parked. Returns how many
-- invalidations were advanced.
create or replace function tenuto.advance_invalidations(p_limit int default 1, p_keys text[] default null)
  returns bigint
  language plpgsql
  set lock_timeout = '1s'
as $$
declare
  v_invalidation tenuto.data_invalidations;
  v_parked text[] := tenuto._parked('advance_invalidations', p_keys);
  v_count bigint := 0;
begin
  for v_invalidation in
    select i.*
    from tenuto.data_invalidations i
    where i.due_at <= tenuto.now()
      and (p_keys is null or i.id::text = any (p_keys))
      and i.id::text <> all (v_parked)
    order by i.due_at
    limit p_limit
    for update skip locked
  loop
    perform tenuto._advance_invalidation(v_invalidation);
    v_count := v_count + 1;
  end loop;
  return v_count;
end
$$;

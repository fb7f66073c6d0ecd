-- Advances the backfills that are due, at most p_limit: counts tasks that have ended, and starts or cancels a bounded
-- number of tasks. With p_keys, advances only the backfills with these ids, even if they are parked. Returns how many
-- backfills were advanced.
create or replace function tenuto.advance_backfills(p_limit int default 1, p_keys text[] default null)
  returns bigint
  language plpgsql
  set lock_timeout = '1s'
as $$
declare
  v_backfill tenuto.backfills;
  v_parked text[] := tenuto._parked('advance_backfills', p_keys);
  v_count bigint := 0;
begin
  for v_backfill in
    select b.*
    from tenuto.backfills b
    where b.due_at <= tenuto.now()
      and (p_keys is null or b.id::text = any (p_keys))
      and b.id::text <> all (v_parked)
    order by b.due_at
    limit p_limit
    for update skip locked
  loop
    perform tenuto._advance_backfill(v_backfill);
    v_count := v_count + 1;
  end loop;
  return v_count;
end
$$;

-- Moves the floors of limits up to their first task in line and their oldest slot. If floors did not move, a call that
-- fills a limit would read the dead rows before the first task while a long transaction holds vacuum back. The floors
-- of a limit move only if one of them would skip at least 5,000 numbers, or if the priority of the first task in line
-- is lower than that of the floor. With many limits, a call checks a random part of them, about 2,000. A task that
-- joins the line before a floor lowers the floor (_lower_limit_floors). Floors of slots never need to be lowered,
-- because only transactions that have locked the limit take slots.
create or replace function tenuto._move_limit_floors()
  returns bigint
  language plpgsql
  set plan_cache_mode = force_custom_plan
  set jit = off
as $$
declare
  v_parts int := (select 1 + count(*) / 2000 from tenuto.limits where idle_since is null);
  v_part int := floor(random() * v_parts);
  v_ids bigint[];
  v_count bigint;
begin
  v_ids := array(
    select l.id
    from tenuto.limits l
    cross join lateral tenuto._limit_floor(l) f
    where l.idle_since is null
      and (hashint8(l.id) & 2147483647) % v_parts = v_part
      and (f.priority < l.floor_priority or f.seq >= l.floor_seq + 5000 or f.slot >= l.floor_slot + 5000)
    order by l.scope, l.id
    for no key update of l skip locked);
  -- A second statement, so that it sees all commits before this transaction got the locks.
  update tenuto.limits l
  set floor_priority = n.priority, floor_seq = n.seq, floor_slot = n.slot
  from (
    select x.id, f.* from tenuto.limits x cross join lateral tenuto._limit_floor(x) f where x.id = any (v_ids)
  ) n
  where l.id = n.id;
  get diagnostics v_count = row_count;
  return v_count;
end
$$;

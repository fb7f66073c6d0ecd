-- Lowers the floors of limits for tasks that joined the line at a position before the floor. This happens after a start
-- that committed late, for a higher priority, and for a task that first had to get the slot of another limit. p_held:
-- the limits that the caller has locked; the floors of other limits do not change. `is true` keeps the test a hashed
-- sub-plan, also where the caller has turned hash joins off: `= any (p_held)` compared every start with every limit.
create or replace function tenuto._lower_limit_floors(p_held bigint[], p_starts tenuto.line_start[])
  returns void
  language sql
as $$
  update tenuto.limits l
  set floor_priority = n.priority, floor_seq = n.seq
  from (
    select distinct on (s.limit_id) s.limit_id, s.priority, s.seq
    from unnest(p_starts) s
    where (s.limit_id in (select unnest(p_held))) is true
    order by s.limit_id, -s.priority, s.seq
  ) n
  where l.id = n.limit_id and (-n.priority, n.seq) < (-l.floor_priority, l.floor_seq);
$$;

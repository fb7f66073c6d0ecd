-- Returns the lanes of an org that may have ready tasks, each with its floor. Includes lanes that no claim has opened
-- yet. The function has no SET clauses, so that Postgres can inline it into the calling query.
create or replace function tenuto._org_lanes(p_org_id uuid)
  returns table (route_id int, group_no int, priority int, floor bigint)
  language sql
  stable
as $$
  select l.route_id, l.group_no, l.priority, min(l.floor) as floor
  from (
    select l.route_id, l.group_no, l.priority, l.floor from tenuto.ready_lanes l where l.org_id = p_org_id
    union all
    select a.route_id, a.group_no, a.priority, a.seq
    from tenuto.arrivals a
    where a.id >= coalesce((select f.floor from tenuto.arrival_floor f), 0)
      and a.org_id = p_org_id
      and a.limit_id is null
  ) l
  group by 1, 2, 3;
$$;

-- Returns the next resource groups after p_after with ready tasks on these routes, at most 64. Reads the tasks
-- themselves, so that lanes that have become empty cost nothing.
create or replace function tenuto._groups_with_work(p_routes int[], p_after int)
  returns int[]
  language sql
  stable
  set plan_cache_mode = force_generic_plan
  set enable_seqscan = off
  set enable_bitmapscan = off
  set jit = off
as $$
  with recursive step(group_no, no) as (
    select p_after, 0
    union all
    select n.group_no, s.no + 1
    from step s
    cross join lateral (
      select q.group_no
      from unnest(p_routes) r(id)
      cross join lateral (
        select t.group_no from tenuto.ready_tasks t
        where t.route_id = r.id and t.group_no > s.group_no
        order by t.group_no limit 1
      ) q
      order by 1 limit 1
    ) n
    where s.no < 64
  )
  select array(select s.group_no from step s where s.no > 0 order by s.no);
$$;

-- Returns the queued tasks, with a route to the workers of one address for tasks whose input lives only there.
create or replace function tenuto._apply_locality(p_queued tenuto.queued_task[])
  returns tenuto.queued_task[]
  language plpgsql
as $$
declare
  v_queued tenuto.queued_task[] := p_queued;
  v_task record;
begin
  for v_task in
    select c.no, r.*, array(
        select a.address
        from (
          select l.address, count(*) as holds,
                 (select count(distinct h.object_id)
                  from tenuto.data_locality h
                  where h.hard and h.object_id in (select tenuto._task_objects(t.id))) as needed
          from tenuto.data_locality l
          where l.hard and l.object_id in (select tenuto._task_objects(t.id))
          group by l.address) a
        where a.holds = a.needed
        order by 1) as places
    from unnest(p_queued) with ordinality as c(id, org_id, run_id, route_id, group_no, priority, attempt, flags, no)
    join tenuto.tasks t on t.id = c.id and t.has_slots
    join tenuto.routes r on r.id = t.route_id
    where exists (
      select from tenuto.data_locality l where l.hard and l.object_id in (select tenuto._task_objects(t.id)))
  loop
    -- If no single address holds all inputs: a route that no worker serves, which `why` can show.
    v_queued[v_task.no].route_id := tenuto._intern_route(
      v_task.org_id, v_task.queue, v_task.type, v_task.language, v_task.labels,
      case when cardinality(v_task.places) = 0 then array['nowhere'] else v_task.places end);
  end loop;
  return v_queued;
end
$$;

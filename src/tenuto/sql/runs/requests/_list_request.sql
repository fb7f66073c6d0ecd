-- Divides the tasks of a request into parts, which are processed in separate transactions. A cancel processes
-- dependents before the tasks they depend on, so that processing a part ends no tasks of other parts. A retry processes
-- first the tasks that it keeps, then the tasks that replay their steps (they depend on no task that runs again), then
-- the others; tasks come before their dependents. Returns how many tasks there are, how many of them run again, and how
-- many of these are handlers.
create or replace function tenuto._list_request(
  p_request tenuto.run_requests, out tasks int, out again int, out handlers int)
  language plpgsql
as $$
begin
  if p_request.verb = 'retry' then
    insert into tenuto.run_request_parts (run_id, verb, no, org_id, again, replay, task_ids)
    select p_request.run_id, 'retry', row_number() over (order by l.again, l.replay desc, l.part), p_request.org_id,
           l.again, l.replay, l.ids
    from (
      select n.again, n.replay, (n.no - 1) / tenuto._request_piece() as part, array_agg(n.id order by n.no) as ids
      from (
        select t.id, t.again, t.replay,
               row_number() over (partition by t.again, t.replay order by t.place, t.id) as no
        from tenuto._tasks_to_rerun(p_request.source_id, p_request.reuse, p_request.from_name) t
      ) n
      group by 1, 2, 3
    ) l;
  else
    insert into tenuto.run_request_parts (run_id, verb, no, org_id, again, task_ids)
    select p_request.run_id, p_request.verb, 1 + (n.no - 1) / tenuto._request_piece(), p_request.org_id, false,
           array_agg(n.id order by n.no)
    from (
      select t.id, row_number() over (order by t.place desc, t.id) as no
      from tenuto._run_tasks(p_request.run_id) t
      where p_request.verb = 'delete' or t.handler is null
    ) n
    group by 3;
  end if;
  select coalesce(sum(cardinality(p.task_ids)), 0), coalesce(sum(cardinality(p.task_ids)) filter (where p.again), 0)
  into tasks, again
  from tenuto.run_request_parts p
  where p.run_id = p_request.run_id and p.verb = p_request.verb;
  select count(*) into handlers
  from tenuto.run_request_parts p
  cross join lateral unnest(p.task_ids) i(id)
  cross join lateral (select t.handler from tenuto.tasks t where t.id = i.id limit 1) t
  where p.run_id = p_request.run_id and p.verb = p_request.verb and p.again and t.handler is not null;
end
$$;

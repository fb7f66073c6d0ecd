-- Returns the tasks of a run as nodes of a graph, in the order in which they were added, each with the tasks that it
-- depends on. Returns at most p_limit nodes (1 to 2,000). Raises TN001 if the run does not exist. Reads the attempts
-- and edges of all nodes at once: 1,000 nodes take 7 ms. With task_status, which counts the attempts of each task on
-- its own, they took 37 ms.
create or replace function tenuto.get_run_graph(p_org_id uuid, p_run_id uuid, p_limit int default 1000)
  returns table (
    task_id uuid, parent_id uuid, name text, type text, status text, attempt int, optional boolean, handler text,
    started_at timestamptz, completed_at timestamptz, depends_on uuid[])
  language plpgsql
  stable
  set plan_cache_mode = force_generic_plan
  set enable_seqscan = off -- rows are looked up by id, whatever the statistics say
  set jit = off
as $$
begin
  if p_limit not between 1 and 2000 then
    perform tenuto._raise('TN003', format('the limit is %s, not 1 to 2000', p_limit), 'pass a limit from 1 to 2000');
  end if;
  if not exists (select from tenuto.runs r where r.id = p_run_id and r.org_id = p_org_id) then
    perform tenuto._raise('TN001', format('no run %s', p_run_id), 'list the runs to see which exist');
  end if;
  return query
  with nodes as materialized (
    select t.*
    from tenuto._run_tasks(p_run_id) t
    order by t.created_at, t.place, t.id
    limit p_limit
  ), ended as materialized (
    select a.task_id, min(a.started_at) as started_at, max(a.ended_at) filter (where a.end_no = 0) as completed_at,
           max(a.outcome) filter (where a.end_no = 0) as outcome, max(a.attempt) filter (where a.end_no = 0) as attempt,
           count(*) filter (where a.outcome in ('failed', 'retrying', 'lost')) as charged
    from tenuto.task_attempts a
    where a.task_id = any (array(select n.id from nodes n))
    group by a.task_id
  ), edges as materialized (
    select d.child_id, array_agg(d.parent_id order by d.parent_id) as parents
    from tenuto.task_dependencies d
    where d.child_id = any (array(select n.id from nodes n))
    group by d.child_id
  )
  select n.id, n.parent_id, n.name, o.type,
         tenuto._live_status(e.outcome, u.id is not null, r.id is not null, d.reason, w.waits_for),
         tenuto._attempt_number(coalesce(e.attempt, u.attempt, r.attempt, d.attempt, w.attempt, p.attempt)::int,
           coalesce(e.charged, 0)::int, e.outcome = 'failed' or d.reason = 'retry'),
         n.optional, n.handler, coalesce(e.started_at, u.started_at), e.completed_at,
         coalesce(g.parents, '{}')
  from nodes n
  join tenuto.routes o on o.id = n.route_id
  left join ended e on e.task_id = n.id
  left join edges g on g.child_id = n.id
  left join tenuto.running_tasks u on u.id = n.id
  left join tenuto.ready_tasks r on r.id = n.id
  left join tenuto.delayed_tasks d on d.id = n.id
  left join tenuto.waiting_tasks w on w.id = n.id
  left join tenuto.pending_tasks p on p.id = n.id
  order by n.created_at, n.place, n.id;
end
$$;

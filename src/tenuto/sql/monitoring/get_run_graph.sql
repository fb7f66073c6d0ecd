-- Returns the tasks of a run as nodes of a graph, in the order in which they were added, with the tasks that each
-- depends on. At most p_limit nodes, up to 2,000. Raises TN001 if the run does not exist.
create or replace function tenuto.get_run_graph(p_org_id uuid, p_run_id uuid, p_limit int default 1000)
  returns table (
    task_id uuid, parent_id uuid, name text, type text, status text, attempt int, optional boolean, handler text,
    started_at timestamptz, completed_at timestamptz, depends_on uuid[])
  language plpgsql
  stable
  set jit = off
as $$
begin
  if p_limit not between 1 and 2000 then
    perform tenuto._raise('TN003', format('the limit is %s, not 1 to 2000', p_limit), 'pass a smaller limit');
  end if;
  if not exists (select from tenuto.runs r where r.id = p_run_id and r.org_id = p_org_id) then
    perform tenuto._raise('TN001', format('no run %s', p_run_id), 'list the runs to see which exist');
  end if;
  return query
  select s.id, s.parent_id, s.name, s.type, s.status, s.attempt, s.optional, s.handler, s.started_at, s.completed_at,
         array(
           select d.parent_id from tenuto.task_dependencies d where d.child_id = s.id order by d.parent_id
         )
  from (
    select t.id, t.place
    from tenuto._run_tasks(p_run_id) t
    order by t.created_at, t.place, t.id
    limit p_limit
  ) n
  join tenuto.task_status s on s.id = n.id
  order by s.created_at, n.place, s.id;
end
$$;

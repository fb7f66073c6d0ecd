-- Returns a page of the inputs of a run by position, starting after the position p_after. These are the inputs of the
-- tasks that depend on no other task, in the order of the graph, without children, handlers and tasks of later attempts
-- of the run. An input of more than 1 KB is left out; input_bytes has its size. Raises TN001 if the run does not exist.
create or replace function tenuto.list_run_inputs(
  p_org_id uuid, p_run_id uuid, p_after int default -1, p_limit int default 50)
  returns table ("position" int, task_id uuid, name text, type text, input jsonb, input_bytes int)
  language plpgsql
  stable
  set jit = off
as $$
begin
  perform tenuto._check_page(p_limit);
  if not exists (select from tenuto.runs r where r.id = p_run_id and r.org_id = p_org_id) then
    perform tenuto._raise('TN001', format('no run %s', p_run_id), 'list the runs to see which exist');
  end if;
  return query
  select i.no, i.id, i.name, o.type, case when octet_length(i.input::text) <= 1024 then i.input end,
         octet_length(i.input::text)
  from (
    select (row_number() over (order by t.place, t.id))::int - 1 as no, t.id, t.name, t.route_id, t.input
    from tenuto._run_tasks(p_run_id) t
    where t.parent_id is null
      and t.handler is null
      and t.run_attempt = 1
      and not exists (select from tenuto.task_dependencies d where d.child_id = t.id)
  ) i
  join tenuto.routes o on o.id = i.route_id
  where i.no > p_after
  order by i.no
  limit p_limit;
end
$$;

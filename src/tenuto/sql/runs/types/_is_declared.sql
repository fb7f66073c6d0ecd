-- Returns whether workers of the org declare, or have ever declared, this function as a task or as a function of jobs.
create or replace function tenuto._is_declared(p_org_id uuid, p_function text)
  returns boolean
  language sql
  stable
as $$
  select not starts_with(p_function, 'tenuto.') and (
    exists (
      select from tenuto.task_types t
      where t.org_id = p_org_id and t.type in (p_function, 'tenuto.python.' || p_function))
    -- A worker restricted to queues declares no types of other queues, but says which functions it runs.
    or exists (
      select from tenuto.workers w
      where w.org_id = p_org_id and w.metadata -> 'types' ? ('tenuto.python.' || p_function)));
$$;

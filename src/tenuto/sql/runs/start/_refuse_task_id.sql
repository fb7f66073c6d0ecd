-- Raises TN004 for a run id that a client made and that a task has already, of any org, without saying which. Actions
-- on runs and on tasks are recorded by id, so a run and a task of another run must not share one. Runs as the owner,
-- because row security hides the tasks of other orgs.
create or replace function tenuto._refuse_task_id(p_run_id uuid)
  returns void
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
begin
  if exists (select from tenuto.tasks t where t.id = p_run_id) then
    perform tenuto._raise('TN004', format('the id %s cannot be used', p_run_id), 'make another UUID');
  end if;
end
$$;

-- Raises TN004 for an id from a client that is already the id of a task of any org or, with p_of_runs, of a run. The
-- message does not say what uses the id. Actions on runs and on tasks are recorded by id, so a run and a task of
-- another run must not have the same id. Runs as the owner, because row security hides the rows of other orgs.
create or replace function tenuto._refuse_used_ids(p_ids uuid[], p_of_runs boolean)
  returns void
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_id uuid;
begin
  foreach v_id in array p_ids loop
    if exists (select from tenuto.tasks t where t.id = v_id)
       or (p_of_runs and exists (select from tenuto.runs r where r.id = v_id)) then
      perform tenuto._raise('TN004', format('the id %s cannot be used', v_id), 'make another UUID');
    end if;
  end loop;
end
$$;

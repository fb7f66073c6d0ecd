-- any state that is not final -> cancelled, for the tasks in the scope of a cancel. A trigger calls it when the
-- transaction of the cancel commits: a client may keep its transaction open for a long time, and until the commit this
-- transaction must not lock rows of the tasks. Runs as the owner: before Postgres 18, such a trigger acts as the role
-- that commits, and this role may have no rights on the tables.
create or replace function tenuto._cancel_requested()
  returns trigger
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_run_id uuid;
begin
  if new.scope = 'run' then
    select r.id into v_run_id from tenuto.runs r where r.id = new.id and r.org_id = new.org_id;
  else
    select t.run_id into v_run_id from tenuto.tasks t where t.id = new.id and t.org_id = new.org_id;
  end if;
  if not found then   -- deleted meanwhile, or of another org
    return null;
  end if;
  perform tenuto._cancel_tasks(array(select tenuto._tasks_below(new.id, new.scope)), new.reason);
  if new.scope = 'run' then
    update tenuto.runs
    set cancel_requested_at = coalesce(cancel_requested_at, new.requested_at),
        cancel_reason       = coalesce(cancel_reason, new.reason)
    where id = new.id and completed_at is null;
    perform tenuto._close_cancelled(array[new.id]);
  end if;
  perform tenuto._retry_parked_now(v_run_id);
  return null;
end
$$;

-- Starts the tasks of a run that was released. A trigger calls it when the transaction of the release commits: until
-- then, rows of the tasks must not be locked. Runs as the owner, as _cancel_requested does.
create or replace function tenuto._release_requested()
  returns trigger
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
begin
  perform tenuto._end_hold(array[new.run_id]);
  return null;
end
$$;

-- Allows a closed or cancelled run to end. A trigger calls it when the transaction that closed the run commits: until
-- then, tasks can be added. Runs as the owner, as _cancel_requested does.
create or replace function tenuto._close_requested()
  returns trigger
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
begin
  perform tenuto._end_openness(array[new.run_id]);
  return null;
end
$$;

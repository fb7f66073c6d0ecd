-- Returns the rows that a loop would process now, without parked rows. When a call for several rows has failed, the
-- dispatcher tries these rows one by one. Orgs take turns, so that many rows of one org do not hide the rows of others.
-- The loop's function checks the rows again when it is called with their keys.
create or replace function tenuto.pick_rows(p_loop text, p_limit int)
  returns table (key text, org_id uuid, run_id uuid, task_id uuid)
  language plpgsql
  stable
  set plan_cache_mode = force_custom_plan
  set jit = off
as $$
declare
  v_parked text[] := tenuto._parked(p_loop);
begin
  return query
  select d.key, d.org_id, d.run_id, d.task_id
  from (
    select d.*, row_number() over (partition by d.org_id order by d.since) as turn
    from tenuto._due_rows(p_loop) d
    where d.key <> all (v_parked)
    limit 100000) d
  order by d.turn, d.since
  limit p_limit;
end
$$;

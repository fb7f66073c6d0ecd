-- Allows closed and cancelled runs to end. A run that was closed or cancelled while a transaction was adding tasks to
-- it can end only after that transaction. Returns how many runs can end now. With p_keys, processes only these runs,
-- even if they are parked.
create or replace function tenuto.sweep_closed(p_limit int default 100, p_keys text[] default null)
  returns bigint
  language plpgsql
  set plan_cache_mode = force_custom_plan
  set enable_seqscan = off
  set jit = off
  set lock_timeout = '1s'
as $$
declare
  v_parked uuid[] := tenuto._parked('sweep_closed', p_keys);
  v_due uuid[] := array(
    select c.run_id
    from tenuto.close_requests c
    join tenuto.open_runs o on o.run_id = c.run_id and o.org_id = c.org_id
    join tenuto.runs r on r.id = c.run_id
    where (p_keys is null or c.run_id = any (p_keys::uuid[])) and c.run_id <> all (v_parked)
    order by c.requested_at
    limit p_limit
    for update of o, c skip locked
    for no key update of r skip locked);
begin
  return tenuto._end_openness(v_due || array(   -- and requests of runs that another transaction has processed meanwhile
    select c.run_id
    from tenuto.close_requests c
    where (p_keys is null or c.run_id = any (p_keys::uuid[])) and c.run_id <> all (v_parked)
      and not exists (select from tenuto.open_runs o where o.run_id = c.run_id)
    limit p_limit
    for update skip locked));
end
$$;

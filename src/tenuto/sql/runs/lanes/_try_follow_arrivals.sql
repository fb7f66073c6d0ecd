-- Processes up to p_limit arrivals, if there are any, for claims and sweeps. Returns the routes that now have tasks
-- which claims did not see before; no routes after an error. An arrival that raises an error must not stop the caller:
-- it stays for a dispatcher, which parks it. The exception block costs a subtransaction, so it is entered only if there
-- is an arrival.
create or replace function tenuto._try_follow_arrivals(p_limit int default 1000)
  returns int[]
  language plpgsql
  set plan_cache_mode = force_generic_plan
  set enable_seqscan = off
  set enable_bitmapscan = off
  set jit = off
as $$
begin
  if not exists (
    select from tenuto.arrivals a where a.id >= coalesce((select f.floor from tenuto.arrival_floor f), 0))
  then
    return '{}';
  end if;
  begin
    return tenuto._follow_arrivals(p_limit);
  exception when others then
    return '{}';
  end;
end
$$;

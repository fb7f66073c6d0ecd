-- Follows arrivals, where there are any, for claims and sweeps. One that raises must not stop the caller: it keeps its
-- arrival for a dispatcher, which parks it. The block costs a subtransaction, so it is entered only where something arrived.
create or replace function tenuto._try_follow_arrivals()
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
    return tenuto._follow_arrivals();
  exception when others then
    return '{}';
  end;
end
$$;

-- waiting for a limit -> queued: processes the arrivals of committed starts. A dispatcher calls it, in case no claim
-- has processed these arrivals. Wakes the workers of routes that became claimable, and returns the number of these
-- routes. Processes p_limit arrivals at a time. If some of them stay, because another transaction has locked their
-- limit or lane, processes those behind them too. With p_keys, processes only these arrivals, even if they are parked.
create or replace function tenuto.follow_arrivals(p_limit int default 1000, p_keys text[] default null)
  returns bigint
  language plpgsql
  set lock_timeout = '1s'
as $$
declare
  v_routes int[] := '{}';
  v_first bigint := coalesce((select f.floor from tenuto.arrival_floor f), 0);
  v_last bigint;
  v_left bigint := p_limit;
begin
  loop
    if p_keys is null then
      v_last := (select a.id from tenuto.arrivals a where a.id >= v_first order by a.id offset p_limit - 1 limit 1);
    end if;
    v_routes := v_routes || tenuto._follow_arrivals(p_limit, p_first => v_first, p_keys => p_keys);
    exit when v_last is null;
    v_left := v_left - p_limit + (select count(*) from tenuto.arrivals a where a.id between v_first and v_last);
    exit when v_left <= 0;
    v_first := v_last + 1;
  end loop;
  perform tenuto._wake_routes(v_routes);
  return (select count(distinct r) from unnest(v_routes) r);
end
$$;

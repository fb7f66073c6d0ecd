-- waiting for a limit -> queued: processes the arrivals of committed starts. A dispatcher calls it, in case no claim
-- has processed these arrivals. Wakes the workers of routes that became claimable, and returns the number of these
-- routes. With p_keys, processes only these arrivals, even if they are parked.
create or replace function tenuto.follow_arrivals(p_limit int default 1000, p_keys text[] default null)
  returns bigint
  language plpgsql
  set lock_timeout = '1s'
as $$
declare
  v_routes int[] := tenuto._follow_arrivals(p_limit, p_keys => p_keys);
begin
  perform tenuto._wake_routes(v_routes);
  return (select count(distinct r) from unnest(v_routes) r);
end
$$;

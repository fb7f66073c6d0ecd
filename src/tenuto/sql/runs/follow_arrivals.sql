-- waiting for a limit -> queued, and more: what starts left to do when they committed, for a dispatcher, where no
-- claim did it. Wakes the workers of what became claimable. Returns how many routes did.
create or replace function tenuto.follow_arrivals(p_limit int default 1000)
  returns bigint
  language plpgsql
as $$
declare
  v_routes int[] := tenuto._follow_arrivals(p_limit);
begin
  perform tenuto._wake_routes(v_routes);
  return (select count(distinct r) from unnest(v_routes) r);
end
$$;

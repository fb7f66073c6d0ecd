-- Wakes the workers of these routes' queues.
create or replace function tenuto._wake_routes(p_routes int[])
  returns void
  language sql
as $$
  select tenuto._wake(r.queue) from tenuto.routes r where r.id = any (p_routes) group by r.queue;
$$;

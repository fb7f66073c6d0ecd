-- Deletes a dispatcher that stops, and its loop leases, so that other dispatchers run its loops. Idempotent.
create or replace function tenuto.close_dispatcher(p_id uuid)
  returns void
  language sql
as $$
  delete from tenuto.loop_leases where dispatcher_id = p_id;
  delete from tenuto.dispatchers where id = p_id;
$$;

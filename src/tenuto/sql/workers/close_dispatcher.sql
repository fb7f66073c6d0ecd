-- A dispatcher says goodbye: it is not there any more, and others run its loops. Twice is fine.
create or replace function tenuto.close_dispatcher(p_id uuid)
  returns void
  language sql
as $$
  delete from tenuto.loop_leases where dispatcher_id = p_id;
  delete from tenuto.dispatchers where id = p_id;
$$;

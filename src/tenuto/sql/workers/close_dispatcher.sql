-- A dispatcher says goodbye: it is not there any more. Twice is fine.
create or replace function tenuto.close_dispatcher(p_id uuid)
  returns void
  language sql
as $$
  delete from tenuto.dispatchers where id = p_id;
$$;

-- Deletes the parked rows of runs that are being deleted.
create or replace function tenuto._forget_parked(p_run_ids uuid[])
  returns void
  language sql
as $$
  delete from tenuto.parked_rows p where p.run_id = any (p_run_ids);
$$;

-- Makes collect_rows check a row set again a day later: it could not be settled now, and must not delay the others.
create or replace function tenuto._postpone_row_set(p_id uuid)
  returns void
  language sql
as $$
  update tenuto.row_sets set created_at = tenuto.now() where id = p_id;
$$;

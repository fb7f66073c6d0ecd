-- Deletes parked rows that the loop has processed or that no longer exist. Returns how many were deleted.
create or replace function tenuto.unpark_rows(p_loop text, p_keys text[])
  returns bigint
  language sql
as $$
  with gone as (
    delete from tenuto.parked_rows p where p.loop = p_loop and p.key = any (p_keys) returning 1
  )
  select count(*) from gone;
$$;

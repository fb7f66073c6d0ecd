-- Returns the keys of the parked rows of a loop. The loop leaves these rows out. A loop reads them once per call.
-- Returns no keys if p_keys is set: the loop then processes exactly those rows. Raises TN011 at another isolation level
-- than READ COMMITTED: every loop reads after it has locked rows.
create or replace function tenuto._parked(p_loop text, p_keys text[] default null)
  returns text[]
  language sql
  stable
as $$
  select case when not tenuto._require_read_committed() then null
              when p_keys is null
              then array(select p.key from tenuto.parked_rows p where p.loop = p_loop)
              else '{}' end;
$$;

-- Returns the keys of the rows that a loop leaves out, read once per call; returns none if the caller names the rows to
-- process.
create or replace function tenuto._parked(p_loop text, p_keys text[] default null)
  returns text[]
  language sql
  stable
as $$
  select case when p_keys is null
              then array(select p.key from tenuto.parked_rows p where p.loop = p_loop)
              else '{}' end;
$$;

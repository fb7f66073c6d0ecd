-- Finds runs or tasks by metadata, as _newest_with_metadata does. Returns none if p_org_id is not the org that the
-- transaction acts for. Runs as the owner, because under row security Postgres does not use the index: the operator @>
-- is not leakproof.
create or replace function tenuto._find_as_owner(
  p_kind text, p_org_id uuid, p_metadata jsonb, p_first uuid, p_before uuid, p_limit int)
  returns uuid[]
  language sql
  stable
  security definer
  set search_path = pg_catalog, pg_temp
as $$
  select case when p_org_id is distinct from tenuto._org_id() then '{}'
              else tenuto._newest_with_metadata(p_kind, p_org_id, p_metadata, p_first, p_before, p_limit) end;
$$;

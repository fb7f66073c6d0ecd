-- Returns the dedupe key that a run was started with; null if it has none.
create or replace function tenuto.get_dedupe_key(p_org_id uuid, p_run_id uuid)
  returns text
  language sql
  stable
as $$
  select d.key from tenuto.dedupe_keys d where d.run_id = p_run_id and d.org_id = p_org_id limit 1;
$$;

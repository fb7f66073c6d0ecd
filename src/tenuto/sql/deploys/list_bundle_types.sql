-- The types that bundles run: what a worker for bundles serves.
create or replace function tenuto.list_bundle_types(p_org_id uuid)
  returns setof text
  language sql
  stable
as $$
  select type from tenuto.bundle_types where org_id = p_org_id order by type;
$$;

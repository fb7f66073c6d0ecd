-- Returns the types that bundles run and that a bundle worker serves. Leaves out a type that a starting, active or
-- draining worker serves with its own code.
create or replace function tenuto.list_bundle_types(p_org_id uuid)
  returns setof text
  language sql
  stable
as $$
  select b.type
  from tenuto.bundle_types b
  where b.org_id = p_org_id
    and not exists (
      select from tenuto.workers w
      where w.org_id = p_org_id
        and w.status in ('starting', 'active', 'draining')
        and w.metadata -> 'types' ? b.type)
  order by b.type;
$$;

-- Returns true if an org has a destination for OpenLineage events.
create or replace function tenuto._emits_lineage(p_org_id uuid)
  returns boolean
  language sql
  stable
return exists (select from tenuto.destinations d where d.org_id = p_org_id and d.openlineage);

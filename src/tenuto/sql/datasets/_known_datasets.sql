-- Returns the names of datasets, up to 200, for the hint of an error about an unknown dataset.
create or replace function tenuto._known_datasets(p_org_id uuid)
  returns text[]
  language sql
  stable
return array(
  select d.name from tenuto.datasets d where d.org_id = p_org_id and d.deleted_at is null order by d.name limit 200);

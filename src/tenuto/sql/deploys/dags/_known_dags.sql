-- Returns the names of DAGs, up to 200, for the hint of an error about an unknown DAG.
create or replace function tenuto._known_dags(p_org_id uuid)
  returns text[]
  language sql
  stable
return array(
  select d.name from tenuto.dags d where d.org_id = p_org_id and d.deleted_at is null order by d.name limit 200);

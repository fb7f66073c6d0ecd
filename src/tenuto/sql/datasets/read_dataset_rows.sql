-- Returns one page of the committed rows at a location of a dataset that is stored in Postgres, and how many pages the
-- location has. A row is a list, with a text or null per column. Raises TN001 for a version that does not exist, is
-- purged or is not stored in Postgres, and if the rows at the location are not committed.
create or replace function tenuto.read_dataset_rows(p_org_id uuid, p_version_id uuid, p_location text, p_page int)
  returns table (rows jsonb, pages int)
  language plpgsql
  stable
as $$
declare
  v_columns jsonb;
begin
  select j.definition #> array['outputs', s.output::text, 'columns'] into v_columns
  from tenuto.dataset_versions v
  join tenuto.dag_version_datasets s on s.org_id = v.org_id and s.dataset_version_id = v.id
  join tenuto.jobs j on j.org_id = s.org_id and j.dag_version_id = s.dag_version_id and j.job_key = s.job_key
  where v.org_id = p_org_id and v.id = p_version_id and v.purged_at is null and v.storage ->> 'kind' = 'postgres'
  limit 1;
  if not found then
    perform tenuto._raise('TN001',
      format('dataset version %s does not exist, is purged or is not in Postgres', p_version_id));
  end if;
  return query
  select r.rows, r.pages
  from tenuto._read_rows(p_org_id, p_version_id, p_location, p_page, v_columns) r;
end
$$;

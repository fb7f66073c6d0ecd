-- Returns a page of datasets in the order of their names, starting after the name p_after. job is null if the current
-- version of the DAG has no job that publishes the dataset.
create or replace function tenuto.list_datasets(p_org_id uuid, p_after text default null, p_limit int default 50)
  returns table (id uuid, name text, dag text, job text, output int, version_id uuid, storage_location text,
    read_roles text[], updated_at timestamptz)
  language plpgsql
  stable
as $$
begin
  perform tenuto._check_page(p_limit);
  return query
  select s.id, s.name, d.name, j.name, s.output, v.id, v.storage_location,
         array(select r.name from tenuto.org_roles r
               where r.org_id = s.org_id and r.id = any (s.read_roles) order by r.name),
         s.updated_at
  from tenuto.datasets s
  join tenuto.dags d on d.org_id = s.org_id and d.id = s.dag_id
  left join tenuto.dag_current_versions c on c.org_id = s.org_id and c.dag_id = s.dag_id
  left join tenuto.jobs j on j.org_id = s.org_id and j.dag_version_id = c.dag_version_id and j.job_key = s.job_key
  left join tenuto.dataset_versions v on v.org_id = s.org_id and v.id = s.current_version_id
  where s.org_id = p_org_id and s.deleted_at is null
    and (p_after is null or s.name > p_after)
  order by s.name
  limit p_limit;
end
$$;

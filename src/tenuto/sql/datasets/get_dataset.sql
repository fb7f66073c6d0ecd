-- Returns a dataset by its name, with its producer, its current version and the roles that can read it. buffered, for
-- the dataset of a sink: how many effects have rows that are not added yet (counted up to 1,000), since when, how many
-- of them are dead, and the newest error; null if there are none. Raises TN001 if there is no such dataset.
create or replace function tenuto.get_dataset(p_org_id uuid, p_name text)
  returns table (id uuid, name text, dag text, job text, output int, version_id uuid, storage_location text,
    read_roles text[], updated_at timestamptz, config_hash text, schema_hash text, storage jsonb,
    buffered jsonb)
  language plpgsql
  stable
as $$
begin
  return query
  select s.id, s.name, d.name, j.name, s.output, v.id, v.storage_location,
         array(select r.name from tenuto.org_roles r
               where r.org_id = s.org_id and r.id = any (s.read_roles) order by r.name),
         s.updated_at, v.config_hash, v.schema_hash, v.storage,
         case when split_part(j.operator, '@', 1) = 'sink' then tenuto._buffered(s.org_id, v.id) end
  from tenuto.datasets s
  join tenuto.dags d on d.org_id = s.org_id and d.id = s.dag_id
  left join tenuto.dag_current_versions c on c.org_id = s.org_id and c.dag_id = s.dag_id
  left join tenuto.jobs j on j.org_id = s.org_id and j.dag_version_id = c.dag_version_id and j.job_key = s.job_key
  left join tenuto.dataset_versions v on v.org_id = s.org_id and v.id = s.current_version_id
  where s.org_id = p_org_id and s.name = p_name and s.deleted_at is null;
  if not found then
    perform tenuto._raise_no_dataset(p_org_id, p_name);
  end if;
end
$$;

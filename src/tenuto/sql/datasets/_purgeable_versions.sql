-- Returns the versions of a dataset that can be purged. Keeps p_keep versions: the current one and the newest of the
-- others. Also keeps each dataset version that belongs to a DAG version which is current, or which can become current
-- without a rollback (staged, building or ready).
create or replace function tenuto._purgeable_versions(p_org_id uuid, p_dataset_id uuid, p_keep int)
  returns setof uuid
  language sql
  stable
as $$
  select v.id
  from tenuto.dataset_versions v
  join tenuto.datasets d on d.org_id = v.org_id and d.id = v.dataset_id
  where v.org_id = p_org_id and v.dataset_id = p_dataset_id
    and v.purged_at is null
    and v.id is distinct from d.current_version_id
    and v.id not in (
      select k.id
      from tenuto.dataset_versions k
      where k.org_id = p_org_id and k.dataset_id = p_dataset_id and k.purged_at is null
      order by k.id is not distinct from d.current_version_id desc, k.id desc
      limit p_keep)
    and not exists (
      select from tenuto.dag_version_datasets s
      join tenuto.dag_versions g on g.org_id = s.org_id and g.id = s.dag_version_id
      where s.org_id = v.org_id and s.dataset_version_id = v.id and g.status not in ('superseded', 'failed'))
  order by v.id
$$;

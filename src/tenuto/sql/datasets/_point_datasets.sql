-- Sets the version, name and producer of every dataset of a DAG to those in one version of the DAG. Datasets that this
-- version does not publish get no producer and no current version. Does this in one statement, so that two datasets can
-- exchange their names or producers. Returns the datasets whose name or version has changed: their ids, and their old
-- and new names and versions. Raises TN004 if a dataset of another DAG has one of the names.
create or replace function tenuto._point_datasets(p_org_id uuid, p_dag_id uuid, p_version_id uuid)
  returns jsonb[]
  language plpgsql
as $$
declare
  v_taken text;
  v_ids uuid[];
  v_changes jsonb[];
begin
  select s.name into v_taken
  from tenuto.dag_version_datasets s
  cross join lateral (   -- one look-up per dataset, here and below: a new version has no statistics
    select from tenuto.datasets d
    where d.org_id = p_org_id and d.name = s.name and d.dag_id <> p_dag_id and d.deleted_at is null
    limit 1
  ) d
  where s.org_id = p_org_id and s.dag_version_id = p_version_id
  limit 1;
  if found then
    perform tenuto._raise('TN004', format('the name %s belongs to a dataset of another DAG now', v_taken),
      'deploy the DAG with another name for its dataset');
  end if;

  perform tenuto._check_version_data(p_org_id, p_dag_id, p_version_id);
  with changed as (
    update tenuto.datasets d
    set name = coalesce(s.name, d.name),
        job_key = s.job_key,
        output = s.output,
        current_version_id = s.dataset_version_id,
        updated_at = tenuto.now()
    from tenuto.datasets o
    left join lateral (
      select s.name, s.job_key, s.output, s.dataset_version_id
      from tenuto.dag_version_datasets s
      where s.org_id = o.org_id and s.dag_version_id = p_version_id and s.dataset_id = o.id
      limit 1
    ) s on true
    where o.org_id = p_org_id and o.dag_id = p_dag_id and o.deleted_at is null
      and d.org_id = p_org_id and d.id = o.id
      and (d.name, d.job_key, d.output, d.current_version_id)
          is distinct from (coalesce(s.name, d.name), s.job_key, s.output, s.dataset_version_id)
    returning d.id, d.name, d.current_version_id, o.name as old_name, o.current_version_id as old_version_id
  )
  select array_agg(c.id order by c.id),
         array_agg(jsonb_build_object('id', c.id, 'name', c.name, 'version_id', c.current_version_id,
           'old_name', c.old_name, 'old_version_id', c.old_version_id) order by c.id)
  into v_ids, v_changes
  from changed c
  where c.name <> c.old_name or c.current_version_id is distinct from c.old_version_id;
  if v_ids is not null then
    perform tenuto._emit_datasets(p_org_id, v_ids, v_changes);
  end if;
  return coalesce(v_changes, '{}');
end
$$;

-- Part of a cutover or rollback: makes dispatchers write events for the jobs of other DAGs that read the datasets of a
-- DAG. The events are about the partitions that are new or have other data than before the cutover or rollback.
-- p_changes: the datasets that have another current version now. An earlier update whose events are not all written
-- becomes part of the new update. The new update starts again with the first partition in the order of keys, because
-- readers may have read any of the earlier versions.
create or replace function tenuto._add_reader_updates(
  p_org_id uuid, p_dag_id uuid, p_version_id uuid, p_changes jsonb[])
  returns void
  language plpgsql
  set plan_cache_mode = force_custom_plan
as $$
declare
  v_left tenuto.reader_updates[] := array(
    select u
    from tenuto.reader_updates u
    join tenuto.dag_versions v on v.org_id = u.org_id and v.id = u.dag_version_id
    where v.org_id = p_org_id and v.dag_id = p_dag_id);
begin
  delete from tenuto.reader_updates u
  using unnest(v_left) l
  where u.dag_version_id = l.dag_version_id and u.dataset_id = l.dataset_id;
  insert into tenuto.reader_updates (dag_version_id, dataset_id, org_id, old_version_ids)
  select p_version_id, d.id, p_org_id, array_agg(b.old_id)
  from (
    select (c ->> 'id')::uuid as dataset_id, (c ->> 'old_version_id')::uuid as old_id from unnest(p_changes) c
    union
    select l.dataset_id, unnest(l.old_version_ids) from unnest(v_left) l) b
  join tenuto.datasets d on d.org_id = p_org_id and d.id = b.dataset_id
  where d.current_version_id is not null and d.current_version_id is distinct from b.old_id and exists (
    select from tenuto.job_inputs i
    join tenuto.dag_versions v
      on v.org_id = i.org_id and v.id = i.dag_version_id and v.dag_id <> p_dag_id
     and v.status in ('building', 'ready', 'current')
    where i.org_id = p_org_id and i.dataset_id = d.id)
  group by d.id;
end
$$;

-- Makes jobs of other DAGs react to a version that has become current. One call compares the next 1,000 partitions of
-- one dataset with the dataset versions that were current before. Writes an event without a task for each partition
-- that is new or has other data. The events and the position are committed together.
create or replace function tenuto._update_readers(p_build tenuto.builds)
  returns void
  language plpgsql
  set plan_cache_mode = force_custom_plan
as $$
declare
  v_update tenuto.reader_updates;
  v_keys text[];
  v_ids uuid[];
begin
  select u.* into v_update
  from tenuto.reader_updates u
  where u.dag_version_id = p_build.dag_version_id
  order by u.dataset_id
  limit 1;
  v_keys := array(
    select c.partition_key
    from tenuto.datasets d
    join tenuto.current_partitions c on c.org_id = d.org_id and c.dataset_version_id = d.current_version_id
    where d.org_id = v_update.org_id and d.id = v_update.dataset_id
      and (v_update.after_partition is null or c.partition_key > v_update.after_partition)
    order by c.partition_key
    limit 1000);

  with written as (
    insert into tenuto.events (id, org_id, job_key, output, dag_version_id, dataset_id, dataset_version_id,
      partition_key, data, created_at)
    select tenuto._uuid7(), d.org_id, d.job_key, d.output, p_build.dag_version_id, d.id, d.current_version_id,
           c.partition_key, jsonb_build_object('cutover', v.version), tenuto.now()
    from tenuto.datasets d
    join tenuto.dag_versions v on v.org_id = d.org_id and v.id = p_build.dag_version_id and v.status = 'current'
    join tenuto.current_partitions c
      on c.org_id = d.org_id and c.dataset_version_id = d.current_version_id and c.partition_key = any (v_keys)
    join tenuto.partition_versions n on n.org_id = c.org_id and n.id = c.partition_version_id
    where d.org_id = v_update.org_id and d.id = v_update.dataset_id and d.current_version_id is not null
      and exists (
        select from unnest(v_update.old_version_ids) a(id)
        left join tenuto.current_partitions b
          on b.org_id = d.org_id and b.dataset_version_id = a.id and b.partition_key = c.partition_key
        left join tenuto.partition_versions o on o.org_id = b.org_id and o.id = b.partition_version_id
        where o.fingerprint is distinct from n.fingerprint)
    returning id
  )
  select array_agg(w.id order by w.id) into v_ids from written w;
  if v_ids is not null then
    perform tenuto._publish(v_update.org_id, 'route_event',
      array[jsonb_build_object('emitted', to_jsonb(v_ids), 'dag_version_id', p_build.dag_version_id)]);
  end if;

  if cardinality(v_keys) < 1000 then
    delete from tenuto.reader_updates
    where dag_version_id = v_update.dag_version_id and dataset_id = v_update.dataset_id;
  else
    update tenuto.reader_updates
    set after_partition = v_keys[1000]
    where dag_version_id = v_update.dag_version_id and dataset_id = v_update.dataset_id;
  end if;
  update tenuto.builds set due_at = tenuto.now() where dag_version_id = p_build.dag_version_id;
end
$$;

-- Writes the events of the next partitions of an invalidation, at most 1,000: one for each partition that is committed.
-- Also queues the effect that routes these events. All of this is committed together with the position, so that no
-- event is lost or written twice.
create or replace function tenuto._invalidate_piece(p_invalidation tenuto.data_invalidations)
  returns void
  language plpgsql
  set plan_cache_mode = force_custom_plan
as $$
declare
  v_keys text[] := tenuto._backfill_keys(
    jsonb_populate_record(null::tenuto.backfills, to_jsonb(p_invalidation) || '{"descending": false}'), 1000);
  v_data jsonb := jsonb_build_object('invalidation', jsonb_build_object(
    'id', p_invalidation.id, 'reason', p_invalidation.reason, 'filter', p_invalidation.row_filter));
  v_version uuid;
  v_ids uuid[];
  v_effect text := 'invalidation:' || p_invalidation.id || ':' || p_invalidation.planned;
begin
  with written as (
    insert into tenuto.events (id, org_id, job_key, output, dag_version_id, dataset_id, dataset_version_id,
      partition_key, data, created_at)
    select tenuto._uuid7(), d.org_id, d.job_key, d.output, v.id, d.id, d.current_version_id, c.partition_key, v_data,
           tenuto.now()
    from tenuto.datasets d
    join tenuto.dag_versions v on v.org_id = d.org_id and v.dag_id = d.dag_id and v.status = 'current'
    cross join lateral unnest(v_keys) k(key)
    join tenuto.current_partitions c
      on c.org_id = d.org_id and c.dataset_version_id = d.current_version_id and c.partition_key = k.key
    where d.org_id = p_invalidation.org_id and d.id = p_invalidation.dataset_id
    returning id, dag_version_id
  )
  select array_agg(w.id order by w.id), min(w.dag_version_id::text)::uuid into v_ids, v_version from written w;
  if v_ids is not null then
    perform tenuto._publish(p_invalidation.org_id, 'route_event',
      array[jsonb_build_object('emitted', to_jsonb(v_ids), 'dag_version_id', v_version)],
      p_keys => array[v_effect]);
  end if;
  update tenuto.data_invalidations i
  set planned = i.planned + cardinality(v_keys),
      invalidated = i.invalidated + coalesce(cardinality(v_ids), 0),
      after_key = coalesce(v_keys[cardinality(v_keys)], i.after_key),
      is_planned = v_keys = '{}' or i.keys ->> 'kind' <> 'committed' and i.planned + cardinality(v_keys) >= i.total,
      effect = v_effect,
      moved_at = tenuto.now(),
      due_at = tenuto.now()
  where i.id = p_invalidation.id;
end
$$;

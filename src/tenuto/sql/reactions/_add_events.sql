-- Writes one event for each commit that an effect of kind route_event lists. A commit that was purged in the meantime
-- gets no event.
create or replace function tenuto._add_events(p_effects tenuto.outbox[])
  returns void
  language sql
  set plan_cache_mode = force_generic_plan
  set enable_seqscan = off
  set enable_hashjoin = off
  set enable_mergejoin = off
  set jit = off
as $$
  insert into tenuto.events (id, org_id, job_key, output, dag_version_id, dataset_id, dataset_version_id, partition_key,
    fingerprint, task_id, created_at)
  select v.id, v.org_id, s.job_key, s.output, s.dag_version_id, s.dataset_id, s.dataset_version_id, v.partition_key,
         v.fingerprint, v.task_id, v.committed_at
  from unnest(p_effects) o
  cross join lateral jsonb_array_elements_text(o.payload -> 'events') e(id)
  join tenuto.partition_versions v on v.id = e.id::uuid and v.org_id = o.org_id
  join tenuto.dag_version_datasets s
    on s.org_id = v.org_id and s.dag_version_id = (o.payload ->> 'dag_version_id')::uuid
   and s.dataset_version_id = v.dataset_version_id and s.job_key = (o.payload ->> 'job_key')::uuid
  where not o.payload ? 'next'
  on conflict (id) do nothing;
$$;

-- Returns for each partition of a job the task that will compute it. This is a queued task that has not started yet, or
-- the id of a new task, which the caller starts (created). The partitions must differ. A queued task is pinned again,
-- so that it reads the data that is committed now. The scope of the dedupe keys is the key of the job and its
-- definition: it stays the same in versions of the DAG that do not change the job's data. A caller that processes
-- several jobs must call this function in the order of the jobs' ids: each call locks rows, and two callers must lock
-- them in the same order.
create or replace function tenuto._queue_partitions(p_org_id uuid, p_job tenuto.jobs, p_partitions text[])
  returns tenuto.started[]
  language plpgsql
  set plan_cache_mode = force_custom_plan
as $$
declare
  v_scope text := p_job.job_key || ':' || p_job.config_hash;
  v_ids uuid[] := array(select tenuto._uuid7() from generate_series(1, cardinality(p_partitions)) order by 1);
  v_taken uuid[];
  v_queued uuid[];
begin
  insert into tenuto.dedupe_keys (org_id, scope, key, run_id, created_at)
  select p_org_id, v_scope, '/' || u.partition, u.id, tenuto.now()
  from unnest(v_ids, p_partitions) as u(id, partition)
  order by u.partition
  on conflict on constraint a_key_is_taken_once do nothing;

  -- A separate statement, so that it sees keys that a concurrent call inserted.
  v_taken := array(
    select d.run_id
    from tenuto.dedupe_keys d
    where d.org_id = p_org_id and d.scope = v_scope and d.key = any (array(select '/' || p from unnest(p_partitions) p))
    order by d.key
    for update);
  v_queued := tenuto._pin_again(p_org_id, p_job, array(select unnest(v_taken) except select unnest(v_ids)));

  update tenuto.dedupe_keys d
  set run_id = u.id,
      created_at = tenuto.now()
  from unnest(v_ids, p_partitions) as u(id, partition)
  where d.org_id = p_org_id and d.scope = v_scope and d.key = '/' || u.partition
    and d.run_id <> u.id and d.run_id <> all (v_queued);

  return array(
    select (u.no, d.run_id, d.run_id = u.id)::tenuto.started
    from unnest(v_ids, p_partitions) with ordinality as u(id, partition, no)
    join tenuto.dedupe_keys d on d.org_id = p_org_id and d.scope = v_scope and d.key = '/' || u.partition
    order by u.no);
end
$$;

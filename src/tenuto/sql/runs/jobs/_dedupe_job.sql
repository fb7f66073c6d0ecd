-- Stores the dedupe keys of the tasks of a job. Returns for each partition its run, and whether the run is new; without
-- a dedupe key, all runs are new. The scope of the keys is the key of the job, which stays the same in later versions
-- of its DAG. Insert and lookup are two statements, as in _dedupe_many.
create or replace function tenuto._dedupe_job(p_org_id uuid, p_job_key uuid, p_key text, p_partitions text[])
  returns tenuto.started[]
  language plpgsql
  set plan_cache_mode = force_custom_plan
as $$
declare
  v_ids uuid[] := array(select tenuto._uuid7() from generate_series(1, cardinality(p_partitions)) order by 1);
  v_new uuid[];
begin
  if p_key is null then
    return array(select (i.no, i.id, true)::tenuto.started from unnest(v_ids) with ordinality i(id, no) order by i.no);
  end if;
  with taken as (
    insert into tenuto.dedupe_keys (org_id, scope, key, run_id, created_at)
    select p_org_id, p_job_key::text, p_key || '/' || u.partition, u.id, tenuto.now()
    from unnest(v_ids, p_partitions) as u(id, partition)
    order by 3
    on conflict on constraint a_key_is_taken_once do nothing
    returning run_id
  )
  select array_agg(run_id) into v_new from taken;

  return array(
    select (u.no, coalesce(d.run_id, u.id), u.id = any (coalesce(v_new, '{}')))::tenuto.started
    from unnest(v_ids, p_partitions) with ordinality as u(id, partition, no)
    left join tenuto.dedupe_keys d
      on d.org_id = p_org_id and d.scope = p_job_key::text and d.key = p_key || '/' || u.partition
    order by u.no);
end
$$;

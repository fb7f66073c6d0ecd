-- Returns what earlier tasks of a job published from the same inputs, so that new tasks can reuse it. Each row has the
-- position of a memo in p_memos, and what the newest task with this memo published. Searches only dataset versions of
-- this DAG version, and only files, because rows in Postgres are replaced and not kept.
create or replace function tenuto._find_memos(
  p_org_id uuid, p_dag_version_id uuid, p_job_key uuid, p_memos bytea[])
  returns table (no int, task_id uuid, published jsonb)
  language sql
  stable
  set plan_cache_mode = force_custom_plan
as $$
  select m.no::int, n.task_id, p.published
  from unnest(p_memos) with ordinality m(memo, no)
  cross join lateral (
    select v.task_id
    from tenuto.partition_versions v
    join tenuto.dag_version_datasets s
      on s.org_id = v.org_id and s.dataset_version_id = v.dataset_version_id
     and s.dag_version_id = p_dag_version_id and s.job_key = p_job_key
    where v.org_id = p_org_id and v.memo = m.memo
    order by v.id desc
    limit 1) n
  cross join lateral (
    select jsonb_agg(jsonb_build_object(
             'output', s.output, 'partition', nullif(v.partition_key, ''), 'location', v.location, 'rows', v.rows,
             'bytes', v.bytes, 'fingerprint', v.fingerprint, 'schema_hash', v.schema_hash,
             'checks', v.checks)) as published,
           bool_and(d.storage ->> 'kind' is distinct from 'postgres') as is_kept
    from tenuto.partition_versions v
    join tenuto.dag_version_datasets s
      on s.org_id = v.org_id and s.dataset_version_id = v.dataset_version_id
     and s.dag_version_id = p_dag_version_id and s.job_key = p_job_key
    join tenuto.dataset_versions d on d.org_id = v.org_id and d.id = v.dataset_version_id
    where v.org_id = p_org_id and v.memo = m.memo and v.task_id = n.task_id) p
  where p.is_kept;
$$;

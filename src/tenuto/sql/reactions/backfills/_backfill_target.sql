-- Returns the job that a backfill runs, as the current version of its DAG defines it, with the DAG, its version and the
-- dataset version. problem: why the job cannot run now; null if it can. is_over: the job can never run again, because
-- it is gone or its definition changed since the backfill was started. If there is a problem and is_over is false, the
-- job is paused or held.
create or replace function tenuto._backfill_target(
  p_backfill tenuto.backfills, out job tenuto.jobs, out dag_id uuid, out dag text, out version int,
  out version_id uuid, out problem text, out is_over boolean)
  language plpgsql
  stable
as $$
declare
  v_found record;
begin
  select d.dag_id, g.name as dag, d.name as dataset, d.current_version_id, v.id as dag_version_id, v.version
  into v_found
  from tenuto.datasets d
  join tenuto.dags g on g.org_id = d.org_id and g.id = d.dag_id
  left join tenuto.dag_versions v on v.org_id = d.org_id and v.dag_id = d.dag_id and v.status = 'current'
  where d.org_id = p_backfill.org_id and d.id = p_backfill.dataset_id;
  select j.* into job
  from tenuto.jobs j
  where j.org_id = p_backfill.org_id and j.dag_version_id = v_found.dag_version_id and j.job_key = p_backfill.job_key;
  dag_id := v_found.dag_id;
  dag := v_found.dag;
  version := v_found.version;
  version_id := v_found.current_version_id;
  is_over := job.id is null or version_id is null or job.config_hash <> p_backfill.config_hash;
  problem := case
    when job.id is null or version_id is null then format('no current job computes dataset %s', v_found.dataset)
    when is_over then format('version %s of %s defines job %s in another way; start another backfill', version, dag,
                        job.name)
    else (select format('job %s %s', job.name, case when k.paused_at is null then 'is held: ' || k.hold_reason
                                                    else 'is paused' end)
          from tenuto.job_controls k
          where k.org_id = p_backfill.org_id and k.job_key = p_backfill.job_key
            and coalesce(k.paused_at, k.held_at) is not null) end;
end
$$;

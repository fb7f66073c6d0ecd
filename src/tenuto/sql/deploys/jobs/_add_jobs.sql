-- Adds the jobs of a new version. A job gets the key that the job with the same name has in the base version. If the
-- base version has no such job, the new job gets the key of the job with its old name (renamed_from), unless the new
-- version still has a job with the old name. If this gives no key, it gets the key that its name had in the newest
-- version with this name, unless a job of the base version has this key. Otherwise it gets a new key.
create or replace function tenuto._add_jobs(p_org_id uuid, p_dag_id uuid, p_version_id uuid, p_base uuid, p_jobs jsonb)
  returns void
  language plpgsql
as $$
begin
  with wanted as (
    select j.value as job, j.value ->> 'name' as name, j.value ->> 'renamed_from' as renamed_from
    from jsonb_array_elements(p_jobs) j
  ), base as (
    select b.name, b.job_key
    from tenuto.jobs b
    where b.org_id = p_org_id and b.dag_version_id = p_base
  ), earlier as (
    select distinct on (j.name) j.name, j.job_key, v.version
    from tenuto.jobs j
    join tenuto.dag_versions v on v.org_id = j.org_id and v.id = j.dag_version_id
    where v.org_id = p_org_id and v.dag_id = p_dag_id
    order by j.name, v.version desc
  ), known as (
    select w.job, w.name, coalesce(same.job_key, renamed.job_key, old.job_key) as job_key, old.version
    from wanted w
    left join base same on same.name = w.name
    left join base renamed on renamed.name = w.renamed_from
     and same.job_key is null
     and not exists (select from wanted o where o.name = w.renamed_from)
    left join earlier old on old.name = w.name
     and same.job_key is null and renamed.job_key is null
     and not exists (select from base b where b.job_key = old.job_key)
  ), keyed as materialized (
    -- A job that was renamed and removed has two old names with one key: the newer name gets it.
    select k.job, k.name,
           case when k.job_key is not null
                 and 1 = row_number() over (partition by k.job_key order by k.version desc nulls first)
                then k.job_key
                else tenuto._uuid7() end as job_key
    from known k
  ), added as (
    insert into tenuto.job_controls (job_key, org_id, dag_id, created_at)
    select k.job_key, p_org_id, p_dag_id, tenuto.now()
    from keyed k
    on conflict (job_key) do nothing
  )
  insert into tenuto.jobs
    (id, org_id, dag_version_id, job_key, name, activation, runtime, operator, config_hash, metadata_hash, definition)
  select tenuto._uuid7(), p_org_id, p_version_id, k.job_key, k.name, k.job ->> 'activation', k.job ->> 'runtime',
         k.job ->> 'operator', k.job ->> 'config_hash', k.job ->> 'metadata_hash', k.job
  from keyed k;
end
$$;

-- Returns a job as the current version of its DAG defines it, or else the newest version that has it. The row has the
-- whole definition, the reasons why the job is paused or held, and its backlog if that has bounds. problem: why no live
-- worker can run the function of the job. Raises TN001 if no version has such a job.
create or replace function tenuto.get_job(p_org_id uuid, p_dag text, p_name text)
  returns table (dag text, name text, job_key uuid, version int, activation text, runtime text, operator text,
    config_hash text, metadata_hash text, definition jsonb, paused_at timestamptz, pause_reason text,
    held_at timestamptz, hold_reason text, backlog jsonb, problem text)
  language plpgsql
  stable
as $$
begin
  return query
  select p_dag, j.name, j.job_key, v.version, j.activation, j.runtime, j.operator, j.config_hash, j.metadata_hash,
         j.definition, c.paused_at, c.pause_reason, c.held_at, c.hold_reason,
         (select to_jsonb(b) - '{org_id,job_key,due_at}'::text[]
          from tenuto.job_backlogs b where b.org_id = c.org_id and b.job_key = c.job_key),
         tenuto._why_no_function(p_org_id, j.definition || jsonb_build_object('operator', j.operator))
  from tenuto.job_controls c
  join tenuto.jobs j on j.org_id = c.org_id and j.job_key = c.job_key
  join tenuto.dag_versions v on v.org_id = j.org_id and v.id = j.dag_version_id
  where c.org_id = p_org_id
    and c.job_key = tenuto._find_job_key(p_org_id, p_dag, p_name)
  order by v.status = 'current' desc, v.version desc
  limit 1;
end
$$;

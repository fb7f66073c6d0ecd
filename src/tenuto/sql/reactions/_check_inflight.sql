-- Raises TN010 if the number of events of an output that are not handled yet has reached max_inflight of the job's
-- source.
create or replace function tenuto._check_inflight(p_job tenuto.job_tasks, p_output jsonb)
  returns void
  language plpgsql
  stable
as $$
declare
  v_max int := (
    select (j.definition #>> '{source,max_inflight}')::int
    from tenuto.jobs j
    where j.org_id = p_job.org_id and j.dag_version_id = p_job.dag_version_id and j.job_key = p_job.job_key);
begin
  if v_max is not null and v_max <= (
    select i.events
    from tenuto._inflight(p_job.org_id, p_job.dag_version_id, (p_output ->> 'dataset_id')::uuid,
      (p_output ->> 'version_id')::uuid) i
  ) then
    perform tenuto._raise('TN010', format('%s events of %s are not handled yet', v_max, p_output ->> 'dataset'),
      'emit later; the source allows no more (max_inflight)');
  end if;
end
$$;

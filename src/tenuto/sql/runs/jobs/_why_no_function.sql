-- Returns why no live worker can run the function of a job of the operator python; null if a worker can, and for other
-- operators. p_job: the definition of the job.
create or replace function tenuto._why_no_function(p_org_id uuid, p_job jsonb)
  returns text
  language plpgsql
  stable
as $$
declare
  v_function text := p_job #>> '{config,task}';
  v_type text := tenuto._job_type('python', p_job -> 'config');
  v_queue text := coalesce(p_job ->> 'queue', 'default');
  v_labels text[] := array(select jsonb_array_elements_text(nullif(p_job -> 'labels', 'null')));
begin
  if split_part(p_job ->> 'operator', '@', 1) <> 'python' then
    return null;
  elsif tenuto._is_declared(p_org_id, v_function) is not true then
    return format('no worker has declared the function %s', left(v_function, 200));
  end if;
  -- One worker is enough. The reason, which compares all workers step by step, is found only if there is none.
  if exists (
    select
    from tenuto.sessions s
    join tenuto.workers w on w.org_id = s.org_id and w.id = s.worker_id
    where s.org_id = p_org_id and s.ended_at is null and s.expires_at >= tenuto.now() and w.status = 'active'
      and not w.metadata ? 'resource_group'
      and 'python' = any (w.languages)
      and v_labels <@ w.labels
      and (jsonb_typeof(w.metadata -> 'queues') is distinct from 'array' or w.metadata -> 'queues' ? v_queue)
      and w.metadata -> 'types' ? v_type) then
    return null;
  end if;
  return tenuto._why_no_worker(
    jsonb_populate_record(null::tenuto.routes, jsonb_build_object(
      'org_id', p_org_id, 'queue', v_queue, 'type', v_type, 'language', 'python', 'labels', v_labels,
      'addresses', array[]::text[], 'blocked_versions', array[]::text[])),
    tenuto._group_no(p_org_id, null));
end
$$;

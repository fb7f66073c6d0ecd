-- -> queued: starts a task of a source job for each time in p_times and returns their runs. p_sources: what started
-- each task. If an output is partitioned by time, the task computes the period of its time, or the period before it
-- (partition: previous). With p_scope, each key in p_keys starts only one task of the job in this scope. Returns null
-- if the job is paused or held, or if no current version has it.
create or replace function tenuto._start_source(
  p_org_id uuid, p_job_key uuid, p_times timestamptz[], p_sources jsonb[], p_scope text default null,
  p_keys text[] default null)
  returns tenuto.started[]
  language plpgsql
as $$
declare
  v_found record;
  v_every text;
  v_back interval := '0';
  v_started tenuto.started[];
  v_ids uuid[];
  v_partitions text[];
  v_sources jsonb[];
begin
  select * into v_found from tenuto._find_source(p_org_id, p_job_key);
  if not found then
    return null;
  end if;
  select o.value #>> '{partition,every}' into v_every
  from jsonb_array_elements((v_found.job).definition -> 'outputs') with ordinality o(value, no)
  where o.value #>> '{partition,kind}' = 'time'
  order by o.no
  limit 1;
  if v_every is not null and (v_found.job).definition #>> '{source,partition}' = 'previous' then
    v_back := ('1 ' || v_every)::interval;
  end if;

  v_started := tenuto._dedupe_job(p_org_id, p_job_key, p_scope, coalesce(p_keys, p_times::text[]));
  select array_agg(s.run_id order by s.no),
         array_agg(coalesce(tenuto._time_partition(v_every, p_times[s.no] at time zone 'UTC' - v_back), '')
           order by s.no),
         array_agg(p_sources[s.no] order by s.no)
  into v_ids, v_partitions, v_sources
  from unnest(v_started) s
  where s.created;
  if v_ids is not null then
    perform tenuto._start_job_tasks(
      p_org_id, v_found.dag, v_found.version, v_found.job, v_ids, v_partitions, false,
      p_sources => v_sources);
  end if;
  return v_started;
end
$$;

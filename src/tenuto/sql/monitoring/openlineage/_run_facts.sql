-- Returns what is known about an attempt of a job: what it read, how it ended, and what it published per dataset, with
-- the first 100 partitions in the order of their keys. Includes the dedupe key only if a user set it, not if it was
-- made for a fire time or a request.
create or replace function tenuto._run_facts(p_org_id uuid, p_task_id uuid, p_attempt int)
  returns jsonb
  language sql
  stable
as $$
  select jsonb_build_object(
    'run_id', t.run_id, 'version', t.input #> '{job,version}', 'partition', t.input #> '{job,partition}',
    'operator', t.input #> '{job,operator}', 'config', t.input #> '{job,config}', 'source', t.input #> '{job,source}',
    'description', j.definition -> 'description', 'source_kind', j.definition #> '{source,kind}',
    'deployed_by', d.created_by, 'outcome', a.outcome, 'error', a.error, 'reused', a.output -> 'reused',
    'bundle', j.definition #> '{udf,bundle}', 'code_version', j.definition -> 'code_version',
    'dedupe_key', case when t.input #>> '{job,source}' is null then tenuto.get_dedupe_key(p_org_id, t.run_id) end,
    'upstream', (
      select jsonb_build_object('task_id', p.task_id, 'attempt', p.attempt, 'dag', u.input #> '{job,dag}',
               'job', u.input #> '{job,job}')
      from tenuto.partition_versions p
      join tenuto.tasks u on u.id = p.task_id
      where p.org_id = p_org_id and p.id = (t.input #>> '{job,event,id}')::uuid),
    'inputs', (
      select jsonb_agg(i - 'locations' - 'cursor')
      from jsonb_array_elements(t.input #> '{job,inputs}') i
      where i -> 'dataset' <> 'null'),
    'outputs', (
      select jsonb_agg(o.value || coalesce(w.facts, '{}') || jsonb_build_object('sources',
               case when w.facts is not null
                    then tenuto._column_sources(p_org_id, (o.value ->> 'version_id')::uuid) end) order by o.no)
      from jsonb_array_elements(t.input #> '{job,outputs}') with ordinality o(value, no)
      left join lateral (
        select jsonb_build_object('rows', sum(v.rows), 'bytes', sum(v.bytes), 'folders', count(*),
                 'partitions', (array_agg(v.partition_key order by v.partition_key))[1:100],
                 'results', (array_agg(v.checks order by v.partition_key))[1]) as facts
        from tenuto.partition_versions v
        where v.org_id = p_org_id and v.dataset_version_id = (o.value ->> 'version_id')::uuid
          and v.task_id = p_task_id and v.attempt = p_attempt
        having count(*) > 0) w on true
      where o.value -> 'dataset' <> 'null'))
  from tenuto.tasks t
  left join tenuto.job_tasks b on b.task_id = t.id
  left join tenuto.jobs j on j.org_id = b.org_id and j.dag_version_id = b.dag_version_id and j.job_key = b.job_key
  left join tenuto.dag_versions d on d.org_id = b.org_id and d.id = b.dag_version_id
  left join tenuto.task_attempts a on a.task_id = t.id and a.end_no in (0, p_attempt) and a.attempt = p_attempt
  where t.id = p_task_id and t.org_id = p_org_id
  limit 1;
$$;

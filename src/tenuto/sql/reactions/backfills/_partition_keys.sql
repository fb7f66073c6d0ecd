-- Returns which keys the partitions of a job's output have: times ({"kind": "time", "every": "day"}) or ranges
-- ({"kind": "range", "size": 1000}). The output defines this, or else the first input whose map or dataset defines it.
-- If none of them does, returns {"kind": "committed"}: a range of keys then means the committed partitions in this
-- range.
create or replace function tenuto._partition_keys(p_job tenuto.jobs, p_output int)
  returns jsonb
  language sql
  stable
as $$
  with schemes as (
    select 0 as place, p_job.definition -> 'outputs' -> p_output -> 'partition' as scheme
    union all
    select i.no + 1, case when coalesce(i.definition #>> '{map,kind}', 'identity') <> 'identity'
                          then i.definition -> 'map'
                          else p.definition -> 'outputs' -> d.output -> 'partition' end
    from tenuto.job_inputs i
    left join tenuto.datasets d on d.org_id = i.org_id and d.id = i.dataset_id
    left join tenuto.dag_current_versions c on c.org_id = d.org_id and c.dag_id = d.dag_id
    left join tenuto.jobs p on p.org_id = d.org_id and p.dag_version_id = c.dag_version_id and p.job_key = d.job_key
    where i.org_id = p_job.org_id and i.job_id = p_job.id
  )
  select coalesce(
    (select case s.scheme ->> 'kind'
              when 'time' then jsonb_build_object('kind', 'time', 'every', s.scheme -> 'every')
              else jsonb_build_object('kind', 'range', 'size', s.scheme -> 'size') end
     from schemes s
     where s.scheme ->> 'kind' = 'time' and s.scheme ? 'every' or s.scheme ->> 'kind' = 'range' and s.scheme ? 'size'
     order by s.place
     limit 1),
    '{"kind": "committed"}');
$$;

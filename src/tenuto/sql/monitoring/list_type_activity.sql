-- Returns the numbers of task_queue_analysis for the busiest task types of an org, for the metrics.
create or replace function tenuto.list_type_activity(p_org_id uuid, p_limit int default 100)
  returns table (
    type text, queued bigint, running bigint, oldest_queued_seconds float8, completed bigint, errors bigint,
    error_rate_percent float8, p50_seconds float8, p95_seconds float8, p99_seconds float8)
  language sql
  stable
as $$
  select a.type, a.queued_tasks, a.running_tasks, a.oldest_queued_seconds, a.completed_tasks, a.error_count,
         a.error_rate_percent, a.p50_processing_time_seconds, a.p95_processing_time_seconds,
         a.p99_processing_time_seconds
  from tenuto._analyze_types(p_org_id) a
  order by a.queued_tasks + a.running_tasks desc, a.completed_tasks + a.error_count desc, a.type
  limit p_limit;
$$;

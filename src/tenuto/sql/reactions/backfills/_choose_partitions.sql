-- Returns for each partition of a job, in order, what a backfill does: start a task, wait for a task that has not
-- ended, or skip the partition. p_reprocess = none: starts tasks for partitions that are not committed. failed: also
-- for partitions whose newest task did not complete. all: for all partitions.
create or replace function tenuto._choose_partitions(
  p_job tenuto.jobs, p_version_id uuid, p_reprocess text, p_keys text[])
  returns table (no bigint, key text, choice text, task_id uuid)
  language plpgsql
  stable
  set plan_cache_mode = force_custom_plan
  set jit = off
as $$
begin
  if p_reprocess = 'all' then
    return query select k.no, k.key, 'start', null::uuid from unnest(p_keys) with ordinality k(key, no) order by k.no;
    return;
  end if;
  return query
  select k.no, k.key,
         case when s.is_committed and (p_reprocess = 'none' or n.is_open or coalesce(n.outcome, '') <> 'failed')
              then 'skip'
              when n.is_open then 'wait'
              else 'start' end,
         case when n.is_open and not s.is_committed then n.task_id end
  from unnest(p_keys) with ordinality k(key, no)
  cross join lateral (
    select coalesce((   -- the limit makes Postgres look up each key instead of hashing all
      select true
      from tenuto.current_partitions c
      where c.org_id = p_job.org_id and c.dataset_version_id = p_version_id and c.partition_key = k.key
      limit 1), false) as is_committed
    offset 0) s   -- evaluated once per partition
  left join lateral (
    select t.task_id, a.outcome, a.outcome is null and tenuto._is_open(t.task_id) as is_open
    from (
      select j.task_id
      from tenuto.job_tasks j
      where j.org_id = p_job.org_id and j.job_key = p_job.job_key and j.partition_key = k.key
        and j.config_hash = p_job.config_hash
      order by j.task_id desc
      limit 1) t
    left join lateral (
      select case when a.outcome = 'completed' then a.outcome else 'failed' end as outcome
      from tenuto.task_attempts a
      where a.task_id = t.task_id and a.end_no = 0
      limit 1) a on true
    where p_reprocess = 'failed' or not s.is_committed) n on true
  order by k.no;
end
$$;

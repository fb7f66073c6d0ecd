-- Returns the progress of a run from 0 to 1. Ended tasks count as 1, running and waiting tasks count with the progress
-- that they reported last. Also returns the latest message. Reads at most 1000 waiting tasks.
create or replace function tenuto._run_progress(p_run_id uuid, p_ended int, p_total int, out fraction float8,
  out message text)
  language sql
  stable
as $$
  with open as materialized (
    select u.started_at as since, coalesce(u.progress, l.progress) as progress,
           coalesce(u.message, l.message) as message
    from tenuto.running_tasks u
    left join lateral tenuto._last_progress(u.id) l on u.progress is null and u.attempt > 1
    where u.run_id = p_run_id
    union all
    select w.waiting_at, l.progress, l.message
    from (select w.id, w.waiting_at from tenuto.waiting_tasks w where w.run_id = p_run_id limit 1000) w
    cross join lateral tenuto._last_progress(w.id) l
  )
  select least(1, (p_ended + coalesce(sum(o.progress), 0)) / greatest(p_total, 1))::float8,
         (array_agg(o.message order by o.since desc) filter (where o.message is not null))[1]
  from open o;
$$;

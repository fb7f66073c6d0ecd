-- Measures the backlogs that are due, at most p_limit. Holds or releases the jobs that produce the inputs of a job with
-- such a backlog. Does not lock DAGs, so that no deploy waits for it. With p_keys, measures only the backlogs of these
-- jobs (org:job key), even if they are parked. Returns how many backlogs were measured.
create or replace function tenuto.watch_backlogs(p_limit int default 1, p_keys text[] default null)
  returns bigint
  language plpgsql
  set lock_timeout = '1s'
as $$
declare
  v_backlog tenuto.job_backlogs;
  v_parked text[] := tenuto._parked('watch_backlogs', p_keys);
  v_found record;
  v_count bigint := 0;
begin
  for v_backlog in
    select b.*
    from tenuto.job_backlogs b
    where b.due_at <= tenuto.now()
      and (p_keys is null or b.org_id || ':' || b.job_key = any (p_keys))
      and b.org_id || ':' || b.job_key <> all (v_parked)
    order by b.due_at, b.org_id, b.job_key
    limit p_limit
    for update skip locked
  loop
    v_count := v_count + 1;
    v_found := tenuto._measure_backlog(v_backlog.org_id, v_backlog.job_key, coalesce(v_backlog.max_depth, 10000) + 1);
    if tenuto._judge_backlog(v_backlog, v_found.depth, v_found.oldest_at) then
      perform tenuto._apply_backpressure(v_backlog.org_id);
    end if;
  end loop;
  return v_count;
end
$$;

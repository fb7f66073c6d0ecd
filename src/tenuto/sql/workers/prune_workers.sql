-- Deletes sessions when p_keep has passed since their end, workers when it has passed since they were terminated, and
-- scaling decisions when it has passed since they were made. A worker is deleted only after all its sessions and, in a
-- pool, after the end of its machine. Deletes log lines of workers after 48 hours. Deletes at most p_limit rows of each
-- kind per call. With p_keys, processes only the rows with these keys (session:id, worker:org:id, decision:id,
-- line:org:worker:no), even if they are parked.
create or replace function tenuto.prune_workers(
  p_keep interval default '14 days', p_limit int default 1000, p_keys text[] default null)
  returns table (sessions bigint, workers bigint, decisions bigint, log_lines bigint)
  language plpgsql
  set lock_timeout = '1s'
as $$
declare
  v_parked text[] := tenuto._parked('prune_workers', p_keys);
begin
  with old as materialized (
    select s.id
    from tenuto.sessions s
    where s.ended_at < tenuto.now() - p_keep
      and (p_keys is null or 'session:' || s.id = any (p_keys))
      and 'session:' || s.id <> all (v_parked)
    order by s.id
    limit p_limit
    for update skip locked
  )
  delete from tenuto.sessions s using old where s.id = old.id;
  get diagnostics sessions = row_count;

  with old as materialized (
    select w.org_id, w.id
    from tenuto.workers w
    where w.status = 'terminated' and w.terminated_at < tenuto.now() - p_keep
      and (w.pool_id is null or w.machine_ended_at is not null)
      and not exists (select from tenuto.sessions s where s.org_id = w.org_id and s.worker_id = w.id)
      and (p_keys is null or 'worker:' || w.org_id || ':' || w.id = any (p_keys))
      and 'worker:' || w.org_id || ':' || w.id <> all (v_parked)
    order by w.org_id, w.id
    limit p_limit
    for update skip locked
  )
  delete from tenuto.workers w using old where w.org_id = old.org_id and w.id = old.id;
  get diagnostics workers = row_count;

  with old as materialized (
    select d.id
    from tenuto.scaling_decisions d
    where d.decided_at < tenuto.now() - p_keep
      and (p_keys is null or 'decision:' || d.id = any (p_keys))
      and 'decision:' || d.id <> all (v_parked)
    order by d.decided_at
    limit p_limit
    for update skip locked
  )
  delete from tenuto.scaling_decisions d using old where d.id = old.id;
  get diagnostics decisions = row_count;

  with old as materialized (
    select l.org_id, l.worker_id, l.line_no
    from tenuto.worker_logs l
    where l.logged_at < tenuto.now() - interval '48 hours'
      and (p_keys is null or concat_ws(':', 'line', l.org_id, l.worker_id, l.line_no) = any (p_keys))
      and concat_ws(':', 'line', l.org_id, l.worker_id, l.line_no) <> all (v_parked)
    order by l.logged_at
    limit p_limit
    for update skip locked
  )
  delete from tenuto.worker_logs l using old
  where l.org_id = old.org_id and l.worker_id = old.worker_id and l.line_no = old.line_no;
  get diagnostics log_lines = row_count;
  return next;
end
$$;

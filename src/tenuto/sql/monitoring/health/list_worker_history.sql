-- Returns a page of the sessions of a worker, newest first, starting before the session p_before: when each session
-- began and ended, why it ended, and how many attempts it still holds. Raises TN001 if there is no such worker.
create or replace function tenuto.list_worker_history(
  p_org_id uuid, p_worker_id text, p_before bigint default null, p_limit int default 50)
  returns table (
    session_id bigint, started_at timestamptz, ended_at timestamptz, end_reason text, lease_expires_at timestamptz,
    lease_seconds float8, queues text[], running int)
  language plpgsql
  stable
as $$
begin
  perform tenuto._check_page(p_limit);
  if not exists (select from tenuto.workers w where w.org_id = p_org_id and w.id = p_worker_id) then
    perform tenuto._raise('TN001', format('no worker %s', left(p_worker_id, 256)),
      'list the workers to see which exist');
  end if;
  return query
  with life as materialized (
    select s.id, s.started_at, s.ended_at, s.end_reason, s.expires_at, s.lease_seconds::float8 as lease_seconds,
           s.queues
    from tenuto.sessions s
    where s.org_id = p_org_id
      and s.worker_id = p_worker_id
      and (p_before is null or s.id < p_before)
    order by s.id desc
    limit p_limit
  ), held as materialized (
    select r.session_id as id, count(*)::int as running
    from tenuto.running_tasks r
    where r.session_id in (select l.id from life l)
    group by 1
  )
  select l.id, l.started_at, l.ended_at, l.end_reason, case when l.ended_at is null then l.expires_at end,
         l.lease_seconds, l.queues, coalesce(h.running, 0)
  from life l
  left join held h on h.id = l.id
  order by l.id desc;
end
$$;

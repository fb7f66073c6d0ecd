-- Returns what happens to a running task whose worker has missed heartbeats, or nothing if it has not. A worker sends
-- three heartbeats per lease.
create or replace function tenuto._why_silent(p_task_id uuid)
  returns text
  language sql
  stable
as $$
  select coalesce((
    select case
        when s.expires_at <= tenuto.now() then '; the lease of its worker has expired, so another worker gets it soon'
        when s.expires_at < tenuto.now() + make_interval(secs => s.lease_seconds / 2)
        then format('; its worker has sent no heartbeat for %s s: if none comes by %s, another worker gets it',
                    extract(epoch from tenuto.now() - s.expires_at)::int + s.lease_seconds::int,
                    tenuto._format_time(s.expires_at))
      end
    from tenuto.running_tasks r
    join tenuto.sessions s on s.id = r.session_id
    where r.id = p_task_id and s.ended_at is null), '');
$$;

-- Returns a page of workers in the order of their ids, after an id; without a status, all but terminated ones.
create or replace function tenuto.list_workers(
  p_org_id uuid, p_status text default null, p_after text default null, p_limit int default 50)
  returns table (
    id text, status text, instance_type text, address text, labels text[], languages text[], metadata jsonb,
    running int, created_at timestamptz, last_heartbeat timestamptz, lease_expires_at timestamptz,
    drained_at timestamptz, drain_reason text, error text, terminated_at timestamptz)
  language plpgsql
  stable
as $$
begin
  perform tenuto._check_page(p_limit);
  if p_status not in ('starting', 'active', 'draining', 'error', 'terminated') then
    perform tenuto._raise('TN003', format('%L is not a status of a worker', p_status),
      'write starting, active, draining, error or terminated');
  end if;
  return query
  with page as materialized (
    select w.*
    from tenuto.workers w
    where w.org_id = p_org_id
      and (p_after is null or w.id > p_after)
      and case when p_status is null then w.status <> 'terminated' else w.status = p_status end
    order by w.id
    limit p_limit
  ), held as (
    select s.worker_id, max(s.expires_at) filter (where s.ended_at is null) as expires_at,
           sum(h.running)::int as running
    from page p
    join tenuto.sessions s on s.org_id = p.org_id and s.worker_id = p.id
    left join (select r.session_id, count(*) as running from tenuto.running_tasks r group by 1) h on h.session_id = s.id
    group by 1
  )
  select p.id, p.status, p.instance_type, p.address, p.labels, p.languages,
         case when octet_length(p.metadata::text) > 65536
              then jsonb_build_object('cut_bytes', octet_length(p.metadata::text))
              else p.metadata end,
         coalesce(h.running, 0), p.created_at, p.last_heartbeat, h.expires_at, p.drained_at, p.drain_reason, p.error,
         p.terminated_at
  from page p
  left join held h on h.worker_id = p.id
  order by p.id;
end
$$;

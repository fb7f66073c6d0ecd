-- Returns a page of alerts, newest first, starting before the id p_before. p_status: only alerts with this status.
create or replace function tenuto.list_alerts(
  p_org_id uuid, p_status text default null, p_before uuid default null, p_limit int default 50)
  returns table (id uuid, rule text, key text, status text, summary text, details jsonb, evaluations bigint,
    first_at timestamptz, last_at timestamptz, acknowledged_by text, acknowledged_at timestamptz,
    resolved_at timestamptz)
  language plpgsql
  stable
  set plan_cache_mode = force_custom_plan
as $$
begin
  perform tenuto._check_page(p_limit);
  return query
  select a.id, a.rule, a.key, a.status, a.summary, a.details, a.evaluations, a.first_at, a.last_at, a.acknowledged_by,
         a.acknowledged_at, a.resolved_at
  from tenuto.alerts a
  where a.org_id = p_org_id
    and (p_status is null or a.status = p_status)
    and (p_before is null or a.id < p_before)
  order by a.id desc
  limit p_limit;
end
$$;

-- Returns a page of alert rules in the order of their names, starting after the name p_after.
create or replace function tenuto.list_alert_rules(p_org_id uuid, p_after text default null, p_limit int default 50)
  returns table (name text, kind text, target text, threshold int, seconds int, destination text,
    silenced_until timestamptz, created_by text, created_at timestamptz)
  language plpgsql
  stable
as $$
begin
  perform tenuto._check_page(p_limit);
  return query
  select r.name, r.kind, r.target, r.threshold, r.seconds, r.destination,
         case when r.silenced_until > tenuto.now() then r.silenced_until end, r.created_by, r.created_at
  from tenuto.alert_rules r
  where r.org_id = p_org_id and (p_after is null or r.name > p_after)
  order by r.name
  limit p_limit;
end
$$;

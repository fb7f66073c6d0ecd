-- Returns a page of the decisions about a pool, newest first, starting before the decision p_before. Raises TN001 if
-- there is no such pool.
create or replace function tenuto.list_scaling_decisions(
  p_org_id uuid, p_name text, p_before uuid default null, p_limit int default 50)
  returns table (id uuid, decided_at timestamptz, workers int, wanted int, reason text, facts jsonb)
  language plpgsql
  stable
as $$
declare
  v_pool_id uuid := tenuto._find_pool(p_org_id, p_name);
begin
  perform tenuto._check_page(p_limit);
  return query
  select d.id, d.decided_at, d.workers, d.wanted, d.reason, d.facts
  from tenuto.scaling_decisions d
  where d.org_id = p_org_id
    and d.pool_id = v_pool_id
    and (p_before is null or (d.decided_at, d.id) < (
      select b.decided_at, b.id from tenuto.scaling_decisions b where b.org_id = p_org_id and b.id = p_before))
  order by d.decided_at desc, d.id desc
  limit p_limit;
end
$$;

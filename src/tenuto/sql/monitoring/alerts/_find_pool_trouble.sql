-- Returns the pools of an org, or only the pool p_name, whose provider fails now, or that had an anomaly in a decision
-- since p_since. An anomaly is a sudden rise of the queue, or many machines requested at once. Checks the newest 1,000
-- decisions of each pool.
create or replace function tenuto._find_pool_trouble(p_org_id uuid, p_name text, p_since timestamptz)
  returns table (pool text, summary text, details jsonb)
  language sql
  stable
as $$
  select p.name, concat_ws('; ', 'pool ' || p.name || ': ' || p.problem, 'pool ' || p.name || ': ' || a.anomaly),
         jsonb_strip_nulls(jsonb_build_object(
           'pool', p.name, 'problem', p.problem, 'problem_at', p.problem_at, 'anomaly', a.anomaly,
           'decided_at', a.decided_at))
  from tenuto.pools p
  left join lateral (
    select d.facts #>> '{anomalies,0}' as anomaly, d.decided_at
    from (
      select d.facts, d.decided_at
      from tenuto.scaling_decisions d
      where d.org_id = p.org_id
        and d.pool_id = p.id
        and d.decided_at > p_since
      order by d.decided_at desc
      limit 1000) d
    where d.facts #>> '{anomalies,0}' is not null
    order by d.decided_at desc
    limit 1) a on true
  where p.org_id = p_org_id
    and (p_name is null or p.name = p_name)
    and (p.problem is not null or a.anomaly is not null)
  order by p.name
  limit 100;
$$;

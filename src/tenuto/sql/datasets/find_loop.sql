-- Returns a loop of jobs that would trigger each other without end; null if there is none. The loop leads through a
-- version of a DAG and the current versions of other DAGs, and is written as "dataset -> dag.job -> dataset". If
-- several loops lead through the same dataset of another DAG, returns the shortest of them. p_edges: pairs of datasets
-- and jobs of the version, in which the first triggers the second (_trigger_edges). Loops that do not lead through this
-- version do not count.
create or replace function tenuto.find_loop(p_org_id uuid, p_dag text, p_edges jsonb)
  returns text
  language plpgsql
  stable
  set plan_cache_mode = force_generic_plan
  set enable_seqscan = off
  set enable_hashjoin = off
  set enable_mergejoin = off
  set join_collapse_limit = 1
  set jit = off
as $$
declare
  v_starts text[];
  v_reached text[];
  v_sources text[];
  v_targets text[];
  v_next jsonb;
  v_start text;
  v_front text[];
  v_ways text[];
  v_seen text[];
  v_loop text;
begin
  with recursive own as (
    select e ->> 0 as source, e ->> 1 as target from jsonb_array_elements(p_edges) e
  ), reached as (
    select o.target as node from own o where strpos(o.target, '.') = 0
    union
    select n.target from reached r cross join lateral tenuto._triggered_by(p_org_id, p_dag, r.node) n
  )
  select array(   -- the datasets of other DAGs that the version reads and also triggers: every loop has one
           select r.node from reached r
           intersect
           select o.source from own o
           except
           select o.target from own o),
         array(select r.node from reached r)
  into v_starts, v_reached;
  if v_starts = '{}' then
    return null;
  end if;

  select array_agg(e.source), array_agg(e.target)
  into v_sources, v_targets
  from (
    select e ->> 0 as source, e ->> 1 as target from jsonb_array_elements(p_edges) e
    union all
    select r.node, n.target
    from unnest(v_reached) r(node)
    cross join lateral tenuto._triggered_by(p_org_id, p_dag, r.node) n) e;
  select jsonb_object_agg(e.source, e.targets)
  into v_next
  from (
    select e.source, jsonb_agg(e.target) as targets
    from unnest(v_sources, v_targets) e(source, target)
    group by e.source) e;

  for v_start in   -- only datasets in a loop or between two loops; no dataset if there is no loop
    select unnest(v_starts)
    intersect
    select tenuto._follow_loops(v_sources, v_targets)
    intersect
    select tenuto._follow_loops(v_targets, v_sources)
    order by 1
  loop
    v_front := array[v_start];
    v_ways := v_front;
    v_seen := '{}';
    while v_front is not null loop
      v_seen := v_seen || v_front;
      select array_agg(n.target), array_agg(n.way), max(n.way) filter (where n.target = v_start)
      into v_front, v_ways, v_loop
      from (
        select distinct on (n.target) n.target, f.way || ' -> ' || n.target as way
        from unnest(v_front, v_ways) f(node, way)
        cross join lateral jsonb_array_elements_text(v_next -> f.node) n(target)
        where n.target = v_start or n.target <> all (v_seen)
        order by 1, 2) n;
      if v_loop is not null then
        return v_loop;
      end if;
    end loop;
  end loop;
  return null;
end
$$;

-- Returns a loop that a version of a DAG closes with the current versions of other DAGs, as "dataset -> dag.job ->
-- dataset", else null: jobs that would trigger each other without end. Of those through the same dataset of another DAG
-- it is the shortest. p_edges: what triggers what in the version, as pairs (_trigger_edges). Loops between other DAGs
-- only do not count.
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
  v_start text;
  v_front text[];
  v_ways text[];
  v_seen text[];
  v_loop text;
begin
  for v_start in   -- the datasets of other DAGs that the version reads and that follow from it: every loop has one
    with recursive own as (
      select e ->> 0 as source, e ->> 1 as target from jsonb_array_elements(p_edges) e
    ), reached as (
      select o.target as node from own o where strpos(o.target, '.') = 0
      union
      select n.target from reached r cross join lateral tenuto._triggered_by(p_org_id, p_dag, r.node) n
    )
    select r.node from reached r
    intersect
    select o.source from own o
    except
    select o.target from own o
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
        cross join lateral (
          select e ->> 1 as target from jsonb_array_elements(p_edges) e where e ->> 0 = f.node
          union all
          select t.target from tenuto._triggered_by(p_org_id, p_dag, f.node) t) n
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

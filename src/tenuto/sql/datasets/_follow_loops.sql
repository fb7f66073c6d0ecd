-- Returns the nodes of a graph that are in a loop or can be reached from one. Removes nodes to which no edge leads,
-- together with their edges, until there are no such nodes, and returns the others. The work grows with the number of
-- edges.
create or replace function tenuto._follow_loops(p_sources text[], p_targets text[])
  returns setof text
  language plpgsql
  immutable
  set enable_hashjoin = on   -- on again, because find_loop sets it off
  set enable_nestloop = off
as $$
declare
  v_names text[];
  v_next text[];    -- by node: the nodes to which its edges lead, as an array of their numbers
  v_edges int[];    -- by node: how many edges lead to it
  v_removed int[];
  v_done int := 0;
  v_node int;
begin
  with nodes as (
    select n.name, row_number() over ()::int as number
    from (select unnest(p_sources) union select unnest(p_targets)) n(name)
  ), edges as (
    select s.number as source, t.number as target
    from unnest(p_sources, p_targets) e(source, target)
    join nodes s on s.name = e.source
    join nodes t on t.name = e.target
  )
  select array_agg(n.name order by n.number),
         array_agg(coalesce(s.next, '{}')::text order by n.number),
         array_agg(coalesce(t.edges, 0) order by n.number),
         coalesce(array_agg(n.number) filter (where t.edges is null), '{}')
  into v_names, v_next, v_edges, v_removed
  from nodes n
  left join (select e.source, array_agg(e.target) as next from edges e group by e.source) s on s.source = n.number
  left join (select e.target, count(*)::int as edges from edges e group by e.target) t on t.target = n.number;

  while v_done < cardinality(v_removed) loop
    v_done := v_done + 1;
    foreach v_node in array v_next[v_removed[v_done]]::int[] loop
      v_edges[v_node] := v_edges[v_node] - 1;
      if v_edges[v_node] = 0 then
        v_removed := v_removed || v_node;
      end if;
    end loop;
  end loop;
  return query
  select n.name from unnest(v_names, v_edges) n(name, edges) where n.edges > 0;
end
$$;

-- Writes the dependencies of a start.
create or replace function tenuto._add_edges(p_org_id uuid, p_ids uuid[], p_edges tenuto.edge[])
  returns void
  language sql
as $$
  insert into tenuto.task_dependencies (parent_id, child_id, org_id, runs_on)
  select p_ids[e.from_no + 1], p_ids[e.to_no + 1], p_org_id, e.runs_on
  from unnest(p_edges) e;
$$;

-- Raises TN004 if jobs of a version of a DAG and of current versions of other DAGs would trigger each other without
-- end. Takes a lock, so that versions that could form a loop are checked one at a time.
create or replace function tenuto._check_loops(p_org_id uuid, p_dag text, p_version_id uuid)
  returns void
  language plpgsql
as $$
declare
  v_loop text;
begin
  if not tenuto._lock_loops(p_org_id, p_version_id) then
    return;
  end if;
  v_loop := tenuto.find_loop(p_org_id, p_dag, (
    select jsonb_agg(jsonb_build_array(e.source, e.target))
    from tenuto._trigger_edges(p_org_id, p_version_id) e));
  if v_loop is not null then
    perform tenuto._raise('TN004', format('the jobs would trigger each other without end: %s', v_loop),
      'remove one of these inputs from its DAG, or write trigger: false, so that it is only read');
  end if;
end
$$;

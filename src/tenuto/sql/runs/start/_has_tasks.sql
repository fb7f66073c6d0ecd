-- Returns whether the run has tasks with all of these ids. The ids come from the client: if the tasks exist, an earlier
-- call with the same ids has added them. Waits for a concurrent call with the same first id.
create or replace function tenuto._has_tasks(p_org_id uuid, p_run_id uuid, p_ids uuid[])
  returns boolean
  language plpgsql
as $$
begin
  if coalesce(cardinality(p_ids), 0) = 0 then
    return false;
  end if;
  perform pg_advisory_xact_lock(hashtextextended('tenuto task ' || p_ids[1], 0));
  return (
    select count(*) = cardinality(p_ids)
    from tenuto.tasks t
    where t.id = any (p_ids) and t.run_id = p_run_id and t.org_id = p_org_id);
end
$$;

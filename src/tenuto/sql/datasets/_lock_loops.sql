-- Returns whether a dataset of another DAG triggers a job of a version of a DAG. If so, until the transaction ends no
-- other version of the org for which this holds is checked for loops: two versions could close one together. Any other
-- version is in no loop.
create or replace function tenuto._lock_loops(p_org_id uuid, p_version_id uuid)
  returns boolean
  language plpgsql
as $$
begin
  if not exists (
    select from tenuto.jobs j
    cross join lateral jsonb_array_elements(j.definition -> 'inputs') i
    where j.org_id = p_org_id and j.dag_version_id = p_version_id
      and i.value ->> 'job' is null and i.value ->> 'trigger' is not null
  ) then
    return false;
  end if;
  perform pg_advisory_xact_lock(hashtextextended('tenuto loops ' || p_org_id, 0));
  return true;
end
$$;

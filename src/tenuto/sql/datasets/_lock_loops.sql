-- Returns true if a dataset of another DAG triggers a job of a DAG version; otherwise the version cannot be part of a
-- loop. If a job reads a dataset of another DAG, even without a trigger, takes a lock of the org until the transaction
-- ends. So only one such version is deployed or checked for loops at a time. Without the lock, two versions could form
-- a loop that neither check sees, or their transactions could wait for each other's locks on datasets.
create or replace function tenuto._lock_loops(p_org_id uuid, p_version_id uuid)
  returns boolean
  language plpgsql
as $$
declare
  v_triggers boolean;   -- null if no job reads a dataset of another DAG
begin
  select bool_or(i.value ->> 'trigger' is not null)
  into v_triggers
  from tenuto.jobs j
  cross join lateral jsonb_array_elements(j.definition -> 'inputs') i
  where j.org_id = p_org_id and j.dag_version_id = p_version_id and i.value ->> 'job' is null;
  if v_triggers is not null then
    perform pg_advisory_xact_lock(hashtextextended('tenuto loops ' || p_org_id, 0));
  end if;
  return coalesce(v_triggers, false);
end
$$;

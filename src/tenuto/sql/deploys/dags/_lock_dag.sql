-- Returns the id of a DAG and locks it until the transaction ends: deploys, cutovers and rollbacks of one DAG happen
-- one after the other, and no event is routed to its jobs in the meantime. Raises TN001 if there is no such DAG.
create or replace function tenuto._lock_dag(p_org_id uuid, p_name text)
  returns uuid
  language plpgsql
as $$
declare
  v_id uuid;
begin
  perform tenuto._require_read_committed();
  select d.id into v_id
  from tenuto.dags d
  where d.org_id = p_org_id and d.name = p_name and d.deleted_at is null
  for no key update;
  if not found then
    perform tenuto._raise('TN001', format('no DAG %s', left(p_name, 100)),
      tenuto._did_you_mean(p_name, tenuto._known_dags(p_org_id), 'list the DAGs to see which exist'));
  end if;
  perform pg_advisory_xact_lock(tenuto._dag_lock(v_id));
  return v_id;
end
$$;

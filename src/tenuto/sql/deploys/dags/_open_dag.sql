-- Returns the id of a DAG and locks it until the transaction ends. Adds the DAG if it is new or was deleted.
create or replace function tenuto._open_dag(p_org_id uuid, p_name text)
  returns uuid
  language plpgsql
as $$
begin
  loop   -- repeated if the DAG is deleted at the same time
    insert into tenuto.dags (id, org_id, name, created_at)
    values (tenuto._uuid7(), p_org_id, p_name, tenuto.now())
    on conflict on constraint dag_exists_once do nothing;
    perform from tenuto.dags d
    where d.org_id = p_org_id and d.name = p_name and d.deleted_at is null
    for no key update;
    exit when found;
  end loop;
  return tenuto._lock_dag(p_org_id, p_name);
end
$$;

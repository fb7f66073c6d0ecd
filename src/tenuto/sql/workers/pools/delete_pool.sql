-- Deletes a pool with its decisions. Raises TN004 if the pool has machines. With p_force, the pool is deleted and its
-- machines continue to run.
create or replace function tenuto.delete_pool(p_org_id uuid, p_name text, p_force boolean default false)
  returns void
  language plpgsql
as $$
declare
  v_id uuid;
  v_machines int;
begin
  perform tenuto._require_read_committed();
  select p.id into v_id
  from tenuto.pools p
  where p.org_id = p_org_id
    and p.name = p_name
  for update;
  if not found then
    perform tenuto._raise('TN001', format('no pool %s', left(p_name, 256)), 'list the pools to see which exist');
  end if;
  select count(distinct coalesce(w.machine, w.id)) into v_machines
  from tenuto.workers w
  where w.org_id = p_org_id
    and w.pool_id = v_id
    and w.machine_ended_at is null;
  if v_machines > 0 and not p_force then
    perform tenuto._raise('TN004', format('pool %s has machines: %s', p_name, v_machines),
      'set its max_workers to 0 and wait until they have ended; with force, they keep running');
  end if;
  delete from tenuto.pools p where p.org_id = p_org_id and p.id = v_id;
  perform tenuto._audit(p_org_id, 'pool', p_name, 'delete', jsonb_build_object('machines', v_machines));
end
$$;

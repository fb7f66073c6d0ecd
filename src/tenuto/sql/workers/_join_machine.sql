-- Makes a worker part of the machine of a pool that it runs on. A machine that registers after it was given up is
-- controlled again.
create or replace function tenuto._join_machine(p_org_id uuid, p_worker_id text, p_machine text)
  returns void
  language sql
as $$
  update tenuto.workers w
  set pool_id = m.pool_id,
      machine = nullif(m.id, w.id),
      provider_id = coalesce(m.provider_id, w.provider_id),
      machine_ended_at = null
  from tenuto.workers m
  where w.org_id = p_org_id
    and w.id = p_worker_id
    and m.org_id = p_org_id
    and m.id = p_machine
    and m.pool_id is not null;
$$;

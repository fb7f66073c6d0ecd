-- Records that the provider no longer runs a machine. Returns false and changes nothing if one of the machine's workers
-- is starting, active or draining: the caller must call give_up_machine first. Also returns false if no pool has such a
-- machine. Idempotent.
create or replace function tenuto.end_machine(p_org_id uuid, p_worker_id text)
  returns boolean
  language plpgsql
as $$
begin
  perform tenuto._require_read_committed();
  perform from tenuto.workers w
  where w.org_id = p_org_id
    and w.id = p_worker_id
  for no key update;
  update tenuto.workers w
  set machine_ended_at = coalesce(w.machine_ended_at, tenuto.now())
  where w.org_id = p_org_id
    and p_worker_id in (w.id, w.machine)
    and w.pool_id is not null
    and not exists (
      select from tenuto.workers o
      where o.org_id = p_org_id
        and p_worker_id in (o.id, o.machine)
        and o.status in ('starting', 'active', 'draining'));
  return found;
end
$$;

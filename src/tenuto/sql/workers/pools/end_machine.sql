-- Records that the provider no longer runs a machine. Its workers that are open -> error, with p_error: they cannot
-- come back, and expire_attempts returns their tasks. Idempotent.
create or replace function tenuto.end_machine(p_org_id uuid, p_worker_id text, p_error text default null)
  returns void
  language plpgsql
as $$
declare
  v_worker text;
begin
  for v_worker in
    select w.id
    from tenuto.workers w
    where w.org_id = p_org_id
      and p_worker_id in (w.id, w.machine)
      and w.pool_id is not null
      and w.status in ('starting', 'active', 'draining')
    order by w.id
  loop
    perform tenuto.fail_worker(p_org_id, v_worker, coalesce(p_error, 'its machine has ended'));
  end loop;
  update tenuto.workers w
  set machine_ended_at = coalesce(w.machine_ended_at, tenuto.now())
  where w.org_id = p_org_id
    and p_worker_id in (w.id, w.machine)
    and w.pool_id is not null;
end
$$;

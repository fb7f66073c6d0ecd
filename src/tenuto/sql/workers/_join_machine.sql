-- Assigns a worker to the machine on which it runs, if the machine belongs to a pool. If the request for the machine
-- had failed, the machine counts as running again. Raises TN004 if the machine was given up, because the provider will
-- be asked to end it.
create or replace function tenuto._join_machine(p_org_id uuid, p_worker_id text, p_machine text)
  returns void
  language plpgsql
as $$
declare
  v_machine tenuto.workers;
begin
  select * into v_machine
  from tenuto.workers m
  where m.org_id = p_org_id
    and m.id = p_machine
    and m.pool_id is not null
  for share;
  if not found then
    return;
  elsif v_machine.given_up_at is not null then
    perform tenuto._raise('TN004', format('machine %s was given up', left(p_machine, 256)), 'start another machine');
  end if;
  update tenuto.workers w
  set pool_id = v_machine.pool_id,
      machine = nullif(v_machine.id, w.id),
      provider_id = coalesce(v_machine.provider_id, w.provider_id),
      registered_at = coalesce(w.registered_at, tenuto.now()),
      machine_ended_at = null
  where w.org_id = p_org_id
    and w.id = p_worker_id;
end
$$;

-- Records the provider's id of a machine. Returns false if the machine is not expected: its row is gone, it has ended,
-- or it has another id. The caller then ends the machine. Idempotent.
create or replace function tenuto.record_machine(
  p_org_id uuid, p_worker_id text, p_provider_id text, p_metadata jsonb default '{}')
  returns boolean
  language plpgsql
as $$
begin
  perform tenuto._check_name('the provider''s id of a machine', coalesce(p_provider_id, ''), 1024);
  perform tenuto._check_size('the metadata of a machine', p_metadata);
  update tenuto.workers w
  set provider_id = p_provider_id,
      metadata = tenuto._merge_metadata(w.metadata, coalesce(p_metadata, '{}'))
  where w.org_id = p_org_id
    and p_worker_id in (w.id, w.machine)
    and w.pool_id is not null
    and w.machine_ended_at is null
    and coalesce(w.provider_id, p_provider_id) = p_provider_id;
  return found;
end
$$;

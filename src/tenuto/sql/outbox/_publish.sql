-- Queues side effects in the caller's transaction. Raises TN007 for a payload over 1 MB, which rolls back the caller's
-- work too. With p_keys, one per payload, an effect is queued once per kind and key.
create or replace function tenuto._publish(
  p_org_id uuid, p_kind text, p_payloads jsonb[], p_delay interval default interval '0', p_keys text[] default null)
  returns void
  language plpgsql
as $$
begin
  perform tenuto._check_size(format('the payload of a %s effect', p_kind), payload)
  from unnest(p_payloads) payload
  where pg_column_size(payload) > 1048576;

  insert into tenuto.outbox (org_id, kind, payload, destination, scope, key, available_at, created_at)
  select p_org_id, p_kind, e.payload,
         case when p_kind = 'deliver' then coalesce(e.payload ->> 'destination', '') else '' end,
         case when e.key is not null then p_kind else '' end, e.key, tenuto.now() + p_delay, tenuto.now()
  from unnest(p_payloads, p_keys) as e(payload, key)
  on conflict (org_id, scope, key) where key is not null do nothing;
end
$$;

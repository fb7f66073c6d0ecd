-- Queues side effects in the caller's transaction. A payload over 1 MB raises TN007, which rolls back the caller's work
-- too.
create or replace function tenuto._publish(p_org_id uuid, p_kind text, p_payloads jsonb[])
  returns void
  language plpgsql
as $$
begin
  perform tenuto._check_size(format('the payload of a %s effect', p_kind), payload)
  from unnest(p_payloads) payload
  where pg_column_size(payload) > 1048576;

  insert into tenuto.outbox (org_id, kind, payload, available_at, created_at)
  select p_org_id, p_kind, payload, tenuto.now(), tenuto.now()
  from unnest(p_payloads) payload;
end
$$;

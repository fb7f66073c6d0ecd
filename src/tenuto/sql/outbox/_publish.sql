-- Queues side effects in the caller's transaction.
create or replace function tenuto._publish(p_org_id uuid, p_kind text, p_payloads jsonb[])
  returns void
  language sql
as $$
  insert into tenuto.outbox (org_id, kind, payload, available_at, created_at)
  select p_org_id, p_kind, payload, tenuto.now(), tenuto.now()
  from unnest(p_payloads) payload;
$$;

-- Queues a side effect in the caller's transaction, once per scope and key. Effects that are queued here are handled in
-- the order of their ids within a scope. The caller holds a lock per scope, so that the ids have the order of the
-- commits.
create or replace function tenuto._publish_ordered(
  p_org_id uuid, p_kind text, p_payload jsonb, p_scope text, p_key text)
  returns void
  language sql
as $$
  select tenuto._check_size(format('the payload of a %s effect', p_kind), p_payload);

  insert into tenuto.outbox (org_id, kind, payload, scope, key, available_at, created_at)
  values (p_org_id, p_kind, p_payload, p_scope, p_key, tenuto.now(), tenuto.now())
  on conflict (org_id, scope, key) where key is not null do nothing;
$$;

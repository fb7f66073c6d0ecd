-- Queues a side effect for a client. With p_key, it is published once: a repeated call returns the first effect.
create or replace function tenuto.publish_effect(p_org_id uuid, p_kind text, p_payload jsonb, p_key text default null)
  returns table (id bigint, created boolean)
  language plpgsql
as $$
begin
  select e.id, e.created into id, created from tenuto._publish_once(p_org_id, p_kind, p_payload, '', p_key) e;
  if created then
    perform tenuto._audit(p_org_id, 'effect', id::text, 'publish', jsonb_build_object('kind', p_kind));
  end if;
  return next;
end
$$;

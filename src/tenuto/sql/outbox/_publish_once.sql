-- Queues one side effect, unless an effect with the same scope and key is stored already. Returns the id of the effect,
-- and whether it is new.
create or replace function tenuto._publish_once(
  p_org_id uuid, p_kind text, p_payload jsonb, p_scope text, p_key text, out id bigint, out created boolean)
  language plpgsql
as $$
begin
  perform tenuto._check_effect(p_org_id, p_kind, p_payload, p_key);
  loop
    insert into tenuto.outbox as o (org_id, kind, payload, destination, scope, key, available_at, created_at)
    values (p_org_id, p_kind, p_payload, p_payload ->> 'destination', p_scope, p_key, tenuto.now(), tenuto.now())
    on conflict (org_id, scope, key) where key is not null do nothing
    returning o.id into id;
    created := found;
    exit when created;
    select o.id into id from tenuto.outbox o where o.org_id = p_org_id and o.scope = p_scope and o.key = p_key;
    exit when found;   -- else it was pruned between the two statements
  end loop;
end
$$;

-- Returns the id of the event that was emitted with this key; null if there is none.
create or replace function tenuto._emitted_event(p_org_id uuid, p_key text)
  returns uuid
  language sql
as $$
  select (o.payload #>> '{emitted,0}')::uuid
  from tenuto.outbox o
  where o.org_id = p_org_id and o.scope = 'route_event' and o.key = p_key;
$$;

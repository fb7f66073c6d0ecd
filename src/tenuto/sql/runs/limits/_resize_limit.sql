-- Inserts an arrival for a limit. The transaction that processes the arrival sets the size of the limit again. Does not
-- lock the limit: the caller's transaction may stay open.
create or replace function tenuto._resize_limit(p_org_id uuid, p_scope text, p_key text)
  returns void
  language sql
as $$
  insert into tenuto.arrivals (org_id, limit_id, scope, key, resizes)
  select l.org_id, l.id, l.scope, l.key, true
  from tenuto.limits l
  where l.org_id = p_org_id and l.scope = p_scope and l.key = p_key;
$$;

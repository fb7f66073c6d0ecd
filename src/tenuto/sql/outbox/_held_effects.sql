-- Returns the effects in p_ids that the caller has taken and still holds. Locks them until the transaction ends.
create or replace function tenuto._held_effects(p_owner text, p_ids bigint[])
  returns setof tenuto.outbox
  language sql
as $$
  select tenuto._require_read_committed();

  select o.*
  from tenuto.outbox o
  where o.id = any (p_ids)
    and o.status = 'processing'
    and o.locked_by = p_owner
  order by o.id
  for update;
$$;

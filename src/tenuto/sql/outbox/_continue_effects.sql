-- processing -> pending, for effects that are not finished: the payload contains where to continue. Effects in
-- p_waiting must wait for other effects or transactions, so they continue after a second. Sets the number of attempts
-- to 0. The caller has locked the effects with _held_effects.
create or replace function tenuto._continue_effects(p_ids bigint[], p_payloads jsonb[], p_waiting bigint[])
  returns void
  language sql
as $$
  update tenuto.outbox o
  set status       = 'pending',
      payload      = c.payload,
      attempts     = 0,
      available_at = tenuto.now() + interval '1 second' * (o.id = any (p_waiting))::int,
      locked_by    = null,
      locked_until = null
  from unnest(p_ids, p_payloads) as c(id, payload)
  where o.id = c.id
    and o.status = 'processing';
$$;

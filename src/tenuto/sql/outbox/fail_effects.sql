-- processing -> pending with backoff, or -> dead after 20 attempts. Applies only to effects that the caller owns.
create or replace function tenuto.fail_effects(p_owner text, p_ids bigint[], p_errors text[])
  returns table (id bigint, status text, available_at timestamptz)
  language sql
as $$
  update tenuto.outbox o
  set status       = case when o.attempts >= 20 then 'dead' else 'pending' end,
      available_at = tenuto.now()
                     + least(interval '10 minutes', interval '1 second' * 2 ^ o.attempts) * (0.5 + random()),
      last_error   = left(f.error, 4096),
      locked_by    = null,
      locked_until = null
  from unnest(p_ids, p_errors) as f(id, error)
  where o.id = f.id
    and o.status = 'processing'
    and o.locked_by = p_owner
  returning o.id, o.status, o.available_at;
$$;

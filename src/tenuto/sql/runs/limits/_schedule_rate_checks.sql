-- Makes dispatchers check these rates. The caller has locked them, and tasks wait for them. A rate that is checked soon
-- enough anyway is not updated.
create or replace function tenuto._schedule_rate_checks(p_limit_ids bigint[])
  returns void
  language sql
as $$
  update tenuto.limits l
  set due_at = greatest(l.paced_at, tenuto.now()), misses = 0
  where l.id = any (p_limit_ids) and (l.due_at is null or l.due_at > greatest(l.paced_at, tenuto.now()));
$$;

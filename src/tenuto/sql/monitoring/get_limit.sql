-- Returns a limit, as list_limits does. Raises TN001 if there is none with this scope and key.
create or replace function tenuto.get_limit(p_org_id uuid, p_scope text, p_key text)
  returns table (
    scope text, key text, size int, seconds float8, declared boolean, queue text, used int, waiting int,
    idle_since timestamptz, overridden boolean)
  language plpgsql
  stable
as $$
begin
  perform tenuto._check_limit_scope(p_scope);
  return query
  select p_scope, p_key, coalesce(o.size, l.size), l.seconds, coalesce(l.declared, false), l.queue, u.used, u.waiting,
         l.idle_since, o.size is not null
  from (select * from tenuto.limits n where n.org_id = p_org_id and n.scope = p_scope and n.key = p_key) l
  full join (
    select * from tenuto.limit_overrides n where n.org_id = p_org_id and n.scope = p_scope and n.key = p_key) o on true
  cross join lateral tenuto._limit_use(l.id, l.seconds) u;
  if not found then
    perform tenuto._raise('TN001', format('no limit %s of scope %s', left(p_key, 256), p_scope),
      'list the limits to see which exist; a limit that no task used for a day is deleted');
  end if;
end
$$;

-- Returns a page of the org's limits in the order of scope and key, starting after p_after_scope and p_after_key. used:
-- how many tasks hold a slot; for a rate, how many starts were admitted in the last period. waiting: how many tasks
-- wait for a slot. Slots and waiting tasks are counted up to 10,000. size: if set_limit has set a size, this size, even
-- before the limit is resized; otherwise the size of the limit. Also returns limits whose size set_limit has set and
-- that no task has used yet.
create or replace function tenuto.list_limits(
  p_org_id uuid, p_scope text default null, p_after_scope text default null, p_after_key text default null,
  p_limit int default 50)
  returns table (
    scope text, key text, size int, seconds float8, declared boolean, queue text, used int, waiting int,
    idle_since timestamptz, overridden boolean)
  language plpgsql
  stable
  set plan_cache_mode = force_custom_plan
as $$
begin
  perform tenuto._check_page(p_limit);
  perform tenuto._check_limit_scope(p_scope);
  return query
  select l.scope, l.key, coalesce(s.size, l.size), l.seconds, l.declared, l.queue, u.used, u.waiting, l.idle_since,
         s.size is not null
  from (
    (select n.id, n.scope, n.key, n.size, n.seconds, n.declared, n.queue, n.idle_since
     from tenuto.limits n
     where n.org_id = p_org_id
       and (p_scope is null or n.scope = p_scope)
       and (p_after_scope is null or (n.scope, n.key) > (p_after_scope, coalesce(p_after_key, '')))
     order by n.scope, n.key
     limit p_limit)
    union all
    (select null, o.scope, o.key, o.size, null, false, null, null
     from tenuto.limit_overrides o
     where o.org_id = p_org_id
       and (p_scope is null or o.scope = p_scope)
       and (p_after_scope is null or (o.scope, o.key) > (p_after_scope, coalesce(p_after_key, '')))
       and not exists (select from tenuto.limits n
                       where n.org_id = o.org_id and n.scope = o.scope and n.key = o.key)
     order by o.scope, o.key
     limit p_limit)
    order by 2, 3
    limit p_limit
  ) l
  left join tenuto.limit_overrides s on s.org_id = p_org_id and s.scope = l.scope and s.key = l.key
  cross join lateral tenuto._limit_use(l.id, l.seconds) u
  order by l.scope, l.key;
end
$$;

-- Returns the set or declared size of a limit, and the queue of the type that declared the limit. Starts cannot change
-- this size. The size is the first that exists of: the size that a user has set, the size that workers declared for
-- this key, the size that workers declared for all values of a parameter. Returns no row if none of them exists. A key
-- declared for all values is the part of the limit's key up to and including a "=". A key can contain several "=", so
-- the part up to each of them is looked up; the longest one that is declared applies.
create or replace function tenuto._declared_size(p_org_id uuid, p_scope text, p_key text)
  returns table (size int, seconds float8, queue text)
  language sql
  stable
as $$
  select coalesce(o.size, d.size), d.seconds, d.queue
  from (select) one
  left join (
    select d.size, d.seconds, d.queue
    from tenuto.declared_limits d
    where d.org_id = p_org_id
      and d.scope = p_scope
      and d.key = any (p_key || array(
        select left(p_key, i) from generate_series(1, length(p_key)) i where substr(p_key, i, 1) = '='))
      and (d.by_value or d.key = p_key)
    order by d.by_value, length(d.key) desc
    limit 1) d on true
  left join tenuto.limit_overrides o on o.org_id = p_org_id and o.scope = p_scope and o.key = p_key
  where coalesce(o.size, d.size) is not null;
$$;

-- Returns the size that workers declared for a limit, if any: for this key, otherwise for the values of a parameter.
create or replace function tenuto._declared_size(
  p_org_id uuid, p_scope text, p_key text, out size int, out seconds float8)
  language sql
  stable
as $$
  select d.size, d.seconds
  from tenuto.declared_limits d
  where d.org_id = p_org_id and d.scope = p_scope
    and case when d.by_value then starts_with(p_key, d.key) else p_key = d.key end
  order by d.by_value, length(d.key) desc
  limit 1;
$$;

-- Returns a page of the orgs that the caller can see, in the order of their slugs, starting after the slug p_after. A
-- request can see only its own org.
create or replace function tenuto.list_orgs(p_after text default null, p_limit int default 50)
  returns table (id uuid, slug text, name text, settings jsonb, created_at timestamptz)
  language plpgsql
  stable
as $$
begin
  perform tenuto._check_page(p_limit);
  return query
  select o.id, o.slug, o.name, o.settings, o.created_at
  from tenuto.orgs o
  where p_after is null or o.slug > p_after
  order by o.slug
  limit p_limit;
end
$$;

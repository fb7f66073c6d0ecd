-- Returns a page of schedules in the order of their names, after a name.
create or replace function tenuto.list_schedules(p_org_id uuid, p_after text default null, p_limit int default 50)
  returns setof tenuto.schedules
  language plpgsql
  stable
as $$
begin
  perform tenuto._check_page(p_limit);
  return query
  select s.*
  from tenuto.schedules s
  where s.org_id = p_org_id
    and (p_after is null or s.name > p_after)
  order by s.name
  limit p_limit;
end
$$;

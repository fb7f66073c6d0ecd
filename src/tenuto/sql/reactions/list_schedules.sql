-- Returns a page of schedules in the order of their names, starting after the name p_after. Raises TN007 for a page of
-- more than 16 MB.
create or replace function tenuto.list_schedules(p_org_id uuid, p_after text default null, p_limit int default 50)
  returns setof tenuto.schedules
  language plpgsql
  stable
as $$
declare
  v_schedule tenuto.schedules;
  v_bytes bigint := 0;
begin
  perform tenuto._check_page(p_limit);
  for v_schedule in
    select s.*
    from tenuto.schedules s
    where s.org_id = p_org_id
      and (p_after is null or s.name > p_after)
    order by s.name
    limit p_limit
  loop
    v_bytes := v_bytes + coalesce(octet_length(v_schedule.input::text), 0)
      + coalesce(octet_length(v_schedule.details::text), 0);
    perform tenuto._check_page_bytes(v_bytes);
    return next v_schedule;
  end loop;
end
$$;

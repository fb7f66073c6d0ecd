-- Returns a page of the org's side effects, newest first, starting before the id p_before. Raises TN007 for a page of
-- more than 16 MB.
create or replace function tenuto.list_effects(
  p_org_id uuid, p_status text default null, p_kind text default null, p_before bigint default null,
  p_limit int default 50)
  returns setof tenuto.outbox
  language plpgsql
  stable
  set plan_cache_mode = force_custom_plan
as $$
declare
  v_effect tenuto.outbox;
  v_bytes bigint := 0;
begin
  perform tenuto._check_page(p_limit);
  if p_status not in ('pending', 'processing', 'done', 'dead') then
    perform tenuto._raise('TN003', format('%L is not a status of a side effect', p_status),
      'write pending, processing, done or dead');
  end if;
  for v_effect in
    select o.*
    from tenuto.outbox o
    where o.org_id = p_org_id
      and (p_status is null or o.status = p_status)
      and (p_kind is null or o.kind = p_kind)
      and (p_before is null or o.id < p_before)
    order by o.id desc
    limit p_limit
  loop
    v_bytes := v_bytes + octet_length(v_effect.payload::text);
    perform tenuto._check_page_bytes(v_bytes);
    return next v_effect;
  end loop;
end
$$;

-- Returns a page of the org's data objects, newest first, without their bytes and metadata. With p_held_by, returns the
-- objects that the run, task or group with this id holds. With p_group, returns the objects that the group with this
-- name holds. reference_count counts up to 1,000 references; holders lists up to five of the holders. collect_at: the
-- time from which collect_objects can delete the object; null while it is held or persisted.
create or replace function tenuto.list_objects(
  p_org_id uuid, p_held_by uuid default null, p_group text default null, p_before uuid default null,
  p_limit int default 50)
  returns table (
    id uuid, type text, size bigint, checksum text, created_at timestamptz, addresses text[], hard boolean,
    persisted boolean, reference_count int, holders text[], collect_at timestamptz)
  language plpgsql
  stable
  set plan_cache_mode = force_custom_plan
  set jit = off
as $$
declare
  v_ids uuid[];
  v_kept interval := (
    select tenuto._hours_kept(o.settings, 'object_retention_hours') from tenuto.orgs o where o.id = p_org_id);
begin
  perform tenuto._check_page(p_limit);
  if p_held_by is null and p_group is null then
    v_ids := array(
      select o.id
      from tenuto.data_objects o
      where o.org_id = p_org_id and (p_before is null or o.id < p_before)
      order by o.id desc
      limit p_limit);
  else
    if p_group is not null then
      p_held_by := tenuto._object_holder(p_org_id, 'group', p_held_by, p_group);
    end if;
    v_ids := array(
      select distinct r.object_id
      from tenuto.data_references r
      where r.holder_id = p_held_by and r.org_id = p_org_id and (p_before is null or r.object_id < p_before)
      order by r.object_id desc
      limit p_limit);
  end if;
  return query
  select o.id, o.type, o.size, o.checksum, o.created_at,
         array(
           select l.address
           from tenuto.data_locality l
           where l.org_id = o.org_id and l.object_id = o.id
           order by l.address),
         exists (select from tenuto.data_locality l where l.org_id = o.org_id and l.object_id = o.id and l.hard),
         o.persisted, h.count, h.holders,
         case when h.count = 0 and not o.persisted then o.created_at + v_kept end
  from tenuto.data_objects o
  cross join lateral (
    select count(*)::int as count,
           coalesce((array_agg(f.holder || ':' || f.holder_id order by f.holder, f.holder_id))[:5], '{}') as holders
    from (select r.holder, r.holder_id
          from tenuto.data_references r
          where r.org_id = o.org_id and r.object_id = o.id
          limit 1000) f
  ) h
  where o.org_id = p_org_id and o.id = any (v_ids)
  order by o.id desc;
end
$$;

-- Returns the lineage of a dataset or of one of its columns: what it was computed from (p_up), and what was computed
-- from it (p_down), as {"root", "nodes", "edges", "truncated"}. Without p_version_id, starts at the current version and
-- returns only current versions below it. Leaves out datasets that the user cannot read, and everything that is only
-- reached through them. p_every: the caller can read every dataset of the org. Returns up to 10,000 edges in each
-- direction.
create or replace function tenuto.get_lineage(
  p_org_id uuid, p_dataset text, p_column text default null, p_version_id uuid default null,
  p_up boolean default true, p_down boolean default true, p_depth int default 10, p_user_id uuid default null,
  p_every boolean default false)
  returns json
  language plpgsql
  stable
as $$
declare
  v_roles uuid[] := case when not p_every then array(
    select m.role_id from tenuto.org_role_memberships m where m.org_id = p_org_id and m.user_id = p_user_id) end;
  v_dataset record;
  v_version uuid;
  v_edges tenuto.lineage_edge[] := '{}';
  v_truncated boolean := false;
  v_part tenuto.lineage_edge[];
  v_up boolean;
begin
  if p_depth is null or p_depth not between 1 and 50 then
    perform tenuto._raise('TN003', format('depth is %s, not 1 to 50', coalesce(p_depth::text, 'null')));
  end if;
  select d.id, d.current_version_id into v_dataset
  from tenuto.datasets d
  where d.org_id = p_org_id and d.name = p_dataset and d.deleted_at is null
    and (v_roles is null or d.read_roles && v_roles);
  if not found then
    perform tenuto._raise_no_dataset(p_org_id, p_dataset);
  end if;
  v_version := coalesce(p_version_id, v_dataset.current_version_id);
  if p_version_id is not null and not exists (
    select from tenuto.dataset_versions v
    where v.org_id = p_org_id and v.id = p_version_id and v.dataset_id = v_dataset.id
  ) then
    perform tenuto._raise('TN001', format('dataset %s has no version %s', p_dataset, p_version_id),
      'list its versions to see which exist');
  end if;
  if v_version is null then
    return json_build_object('root', null, 'nodes', '[]'::json, 'edges', '[]'::json, 'truncated', false);
  end if;
  perform tenuto._check_column(p_org_id, p_dataset, v_version, p_column);

  foreach v_up in array array[true, false]
  loop
    continue when not case when v_up then p_up else p_down end;
    v_part := tenuto._follow_lineage(p_org_id, v_version, coalesce(p_column, ''), v_up, p_version_id is null, p_depth,
      10001, v_roles);
    v_truncated := v_truncated or cardinality(v_part) > 10000;
    v_edges := v_edges || v_part[1:10000];
  end loop;
  return tenuto._lineage_json(p_org_id, v_version, coalesce(p_column, ''), v_edges, v_truncated);
end
$$;

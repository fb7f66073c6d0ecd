-- Creates or changes a resource group: its weight compared with other groups, and how many of its tasks can run at once
-- (null: any number).
create or replace function tenuto.set_resource_group(
  p_org_id uuid, p_external_id text, p_weight int default 1, p_quota int default null)
  returns uuid
  language plpgsql
as $$
declare
  v_id uuid;
begin
  perform tenuto._check_name('the external id of a resource group', coalesce(p_external_id, ''));
  if p_weight is null or p_weight not between 1 and 1000 then
    perform tenuto._raise('TN003',
      format('weight %s of resource group %s is not between 1 and 1000', p_weight, p_external_id));
  end if;
  if p_quota < 0 then
    perform tenuto._raise('TN003', format('quota %s of resource group %s is negative', p_quota, p_external_id));
  end if;

  insert into tenuto.resource_groups (id, org_id, external_id, weight, quota, created_at)
  values (tenuto._uuid7(), p_org_id, p_external_id, p_weight, p_quota, tenuto.now())
  on conflict (org_id, external_id) do update set weight = excluded.weight, quota = excluded.quota
  where resource_groups.deleted_at is null
  returning id into v_id;
  if v_id is null then
    perform tenuto._raise('TN004', format('%s is the name of a deleted resource group', p_external_id));
  end if;
  perform tenuto._audit(p_org_id, 'group', p_external_id, 'set',
    jsonb_build_object('weight', p_weight, 'quota', p_quota));
  return v_id;
end
$$;

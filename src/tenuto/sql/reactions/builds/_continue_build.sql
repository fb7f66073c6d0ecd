-- failed -> building: computes again what failed. With p_cutover_from, the version becomes current when it is ready: it
-- replaces the version with the number p_cutover_from, and p_actor is recorded as the actor. p_cutover_from also
-- applies to a version that has not failed and is still being computed.
create or replace function tenuto._continue_build(p_org_id uuid, p_version_id uuid, p_cutover_from int, p_actor text)
  returns void
  language plpgsql
as $$
begin
  update tenuto.builds b
  set phase = 'retry', due_at = tenuto.now(), position = null, failed = 0, error = null
  from tenuto.dag_versions v
  where b.dag_version_id = p_version_id and b.org_id = p_org_id
    and v.org_id = p_org_id and v.id = p_version_id and v.status = 'failed';
  if found then
    perform tenuto._begin_build(p_org_id, p_version_id);
    perform tenuto._route_paused(p_org_id, p_version_id);
  end if;
  if p_cutover_from is not null then
    update tenuto.builds b
    set cutover_from = p_cutover_from, actor = p_actor
    from tenuto.dag_versions v
    where b.dag_version_id = p_version_id and b.org_id = p_org_id
      and v.org_id = p_org_id and v.id = p_version_id and v.status = 'building';
  end if;
end
$$;

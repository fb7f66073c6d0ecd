-- ready -> current, for a version that was deployed to become current when it is ready. If another version became
-- current in the meantime, or the org denies the cutover, the version stays ready and the reason is stored in the
-- build.
create or replace function tenuto._cutover_build(p_build tenuto.builds)
  returns void
  language plpgsql
as $$
declare
  v_version record;
begin
  select d.name, v.version into v_version
  from tenuto.dag_versions v
  join tenuto.dags d on d.org_id = v.org_id and d.id = v.dag_id
  where v.org_id = p_build.org_id and v.id = p_build.dag_version_id and v.status = 'ready';
  if found then
    perform tenuto.cutover_dag(p_build.org_id, v_version.name, p_build.cutover_from, p_build.actor, v_version.version);
  end if;
exception when sqlstate 'TN004' or sqlstate 'TN009' then
  update tenuto.builds
  set error = left(format('ready, but not made current: %s', sqlerrm), 1000)
  where dag_version_id = p_build.dag_version_id;
end
$$;

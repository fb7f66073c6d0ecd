-- -> building | ready: stores a DAG document as a new version, with its jobs and datasets. The caller has checked the
-- document. Dispatchers compute the new datasets beside the current ones; nothing that is current changes before a
-- cutover. Deploying a document again returns its version. If this version has failed, its failed parts are computed
-- again. p_auto: the version becomes current when it is built, unless another version has become current by then.
-- p_functions: functions that the app of the caller declares, for jobs whose function no worker has declared yet.
create or replace function tenuto.deploy_dag(
  p_org_id uuid, p_name text, p_yaml text, p_yaml_hash text, p_hash_version int, p_jobs jsonb, p_actor text,
  p_plan jsonb default null, p_auto boolean default false, p_functions text[] default null)
  returns table (dag text, version int, yaml_hash text, status text, created boolean)
  language plpgsql
as $$
declare
  v_dag_id uuid;
  v_version_id uuid;
  v_base uuid;
  v_current int;
  v_created boolean := false;
begin
  perform tenuto._check_name('the actor of a deploy', coalesce(p_actor, ''));
  v_dag_id := tenuto._open_dag(p_org_id, p_name);

  select v.id into v_version_id
  from tenuto.dag_versions v
  where v.org_id = p_org_id and v.dag_id = v_dag_id and v.yaml_hash = p_yaml_hash;
  if not found then
    select v.id into v_base
    from tenuto.dag_versions v
    where v.org_id = p_org_id and v.dag_id = v_dag_id
    order by v.status = 'current' desc, v.version desc
    limit 1;
    perform tenuto._check_runtimes(p_jobs);
    perform tenuto._check_bundles(p_org_id, p_jobs);
    perform tenuto._check_functions(p_org_id, p_jobs, p_functions);
    v_version_id := tenuto._add_version(p_org_id, v_dag_id, p_yaml, p_yaml_hash, p_hash_version, p_actor);
    perform tenuto._add_jobs(p_org_id, v_dag_id, v_version_id, v_base, p_jobs);
    perform tenuto._lock_loops(p_org_id, v_version_id);   -- locks before the rows of datasets, as a cutover does
    perform tenuto._lock_readers(p_org_id);
    perform tenuto._hold_inputs(p_org_id, v_dag_id, v_version_id);
    perform tenuto._leave_lost_sources(p_org_id, v_dag_id, v_version_id);
    perform tenuto._register_datasets(p_org_id, v_dag_id, v_version_id);
    perform tenuto._link_jobs(p_org_id, v_dag_id, v_version_id);
    perform tenuto._check_loops(p_org_id, p_name, v_version_id);
    perform tenuto._check_readers(p_org_id, v_version_id,
      (select c.dag_version_id from tenuto.dag_current_versions c where c.org_id = p_org_id and c.dag_id = v_dag_id));
    perform tenuto._emit_jobs(p_org_id, p_name, v_version_id);
    perform tenuto._open_build(p_org_id, v_dag_id, v_version_id, p_plan);
    perform tenuto._add_deploy(p_org_id, v_dag_id, 'deploy',
      (select c.dag_version_id from tenuto.dag_current_versions c where c.org_id = p_org_id and c.dag_id = v_dag_id),
      v_version_id, p_actor, p_plan);
    v_created := true;
    perform tenuto._audit(p_org_id, 'dag', p_name, 'deploy', jsonb_build_object(
      'version', (select v.version from tenuto.dag_versions v where v.org_id = p_org_id and v.id = v_version_id)));
  elsif exists (
    select from tenuto.dag_versions v where v.org_id = p_org_id and v.id = v_version_id and v.status = 'failed'
  ) then
    perform tenuto._check_loops(p_org_id, p_name, v_version_id);   -- before the version is computed again
    perform tenuto._check_version_data(p_org_id, v_dag_id, v_version_id);
  end if;
  select coalesce(max(v.version), 0) into v_current
  from tenuto.dag_current_versions c
  join tenuto.dag_versions v on v.org_id = c.org_id and v.id = c.dag_version_id
  where c.org_id = p_org_id and c.dag_id = v_dag_id;
  perform tenuto._continue_build(p_org_id, v_version_id, case when p_auto then v_current end, p_actor);

  return query
  select p_name, v.version, v.yaml_hash, v.status, v_created
  from tenuto.dag_versions v
  where v.org_id = p_org_id and v.id = v_version_id;
end
$$;

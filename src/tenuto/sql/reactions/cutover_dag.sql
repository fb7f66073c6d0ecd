-- ready | superseded -> current: makes a version of a DAG current, with all of its datasets, in one transaction.
-- Without p_version, this is the newest version that is ready. p_expected: the version that the caller saw as current,
-- 0 for none; raises TN004 if another version is current now. Does nothing if the version to make current is p_expected
-- and is current already. p_force also allows staged | building | failed -> current, and needs p_version.
create or replace function tenuto.cutover_dag(
  p_org_id uuid, p_name text, p_expected int, p_actor text, p_version int default null, p_plan jsonb default null,
  p_force boolean default false)
  returns table (dag text, version int, yaml_hash text, status text, from_version int)
  language plpgsql
as $$
declare
  v_dag_id uuid := tenuto._lock_dag(p_org_id, p_name);
  v_to uuid;
  v_from uuid;
begin
  perform tenuto._check_name('the actor of a cutover', coalesce(p_actor, ''));
  if p_force and p_version is null then
    perform tenuto._raise('TN003', 'a forced cutover needs the version', 'name the version to make current');
  end if;
  if p_version is null then
    select v.id into v_to
    from tenuto.dag_versions v
    where v.org_id = p_org_id and v.dag_id = v_dag_id and v.status = 'ready'
    order by v.version desc
    limit 1;
    if not found then
      perform tenuto._raise('TN004', format('no version of %s is ready', p_name), 'deploy one, or name a version');
    end if;
  else
    v_to := tenuto._find_version(p_org_id, v_dag_id, p_version);
  end if;

  if not exists (
    select from tenuto.dag_versions v
    where v.org_id = p_org_id and v.id = v_to and v.status = 'current' and v.version = p_expected
  ) then
    perform tenuto._check_loops(p_org_id, p_name, v_to);
    perform tenuto._check_readers(p_org_id, v_to,
      (select c.dag_version_id from tenuto.dag_current_versions c where c.org_id = p_org_id and c.dag_id = v_dag_id));
    v_from := tenuto._move_pointer(p_org_id, v_dag_id, p_expected, v_to, p_force);
    perform tenuto._add_reader_updates(p_org_id, v_dag_id, v_to,
      tenuto._point_datasets(p_org_id, v_dag_id, v_to));
    perform tenuto._follow_version(p_org_id, v_dag_id, v_to);
    perform tenuto._end_job_alerts(p_org_id, v_dag_id, v_from, v_to);
    perform tenuto._enter_version(p_org_id, v_to, v_from);
    perform tenuto._add_deploy(p_org_id, v_dag_id, 'cutover', v_from, v_to, p_actor, p_plan);
    perform tenuto._audit(p_org_id, 'dag', p_name, 'cutover',
      jsonb_build_object(
        'version', (select v.version from tenuto.dag_versions v where v.org_id = p_org_id and v.id = v_to),
        'forced', case when p_force then true end),
      jsonb_build_object('version', nullif(p_expected, 0)));
  end if;

  return query
  select p_name, v.version, v.yaml_hash, v.status,
         (select f.version from tenuto.dag_versions f where f.org_id = p_org_id and f.id = v_from)
  from tenuto.dag_versions v
  where v.org_id = p_org_id and v.id = v_to;
end
$$;

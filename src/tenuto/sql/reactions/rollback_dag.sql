-- superseded -> current: makes an earlier version of a DAG current again with all of its datasets, in one transaction.
-- Without p_version, this is the version that the current one has replaced. Dispatchers cancel the tasks of the version
-- that was current, except tasks of jobs that both versions define in the same way, because these publish data that is
-- still current. p_expected: the version that the caller saw as current; raises TN004 if another version is current
-- now.
create or replace function tenuto.rollback_dag(
  p_org_id uuid, p_name text, p_expected int, p_actor text, p_version int default null)
  returns table (dag text, version int, yaml_hash text, status text, from_version int)
  language plpgsql
as $$
declare
  v_dag_id uuid := tenuto._lock_dag(p_org_id, p_name);
  v_to uuid;
  v_from uuid;
begin
  perform tenuto._check_name('the actor of a rollback', coalesce(p_actor, ''));
  if p_version is null then
    select h.from_version_id into v_to
    from tenuto.dag_current_versions c
    join tenuto.deploy_history h on h.org_id = c.org_id and h.dag_id = c.dag_id and h.to_version_id = c.dag_version_id
    where c.org_id = p_org_id and c.dag_id = v_dag_id and h.action = 'cutover'
    order by h.id desc
    limit 1;
    if v_to is null then
      perform tenuto._raise('TN004', format('%s has no version to roll back to', p_name));
    end if;
  else
    select v.id into v_to
    from tenuto.dag_versions v
    where v.org_id = p_org_id and v.id = tenuto._find_version(p_org_id, v_dag_id, p_version)
      and v.status = 'superseded';
    if not found then
      perform tenuto._raise('TN004',
        format('version %s of %s is current now, or was not current before', p_version, p_name),
        'a version that is ready becomes current by a cutover');
    end if;
  end if;

  perform tenuto._check_loops(p_org_id, p_name, v_to);
  perform tenuto._check_readers(p_org_id, v_to,
    (select c.dag_version_id from tenuto.dag_current_versions c where c.org_id = p_org_id and c.dag_id = v_dag_id));
  v_from := tenuto._move_pointer(p_org_id, v_dag_id, p_expected, v_to);
  perform tenuto._add_reader_updates(p_org_id, v_dag_id, v_to,
    tenuto._point_datasets(p_org_id, v_dag_id, v_to));
  perform tenuto._follow_version(p_org_id, v_dag_id, v_to);
  perform tenuto._end_job_alerts(p_org_id, v_dag_id, v_from, v_to);
  perform tenuto._leave_version(p_org_id, v_from);
  perform tenuto._enter_version(p_org_id, v_to, v_from);
  perform tenuto._add_deploy(p_org_id, v_dag_id, 'rollback', v_from, v_to, p_actor, null);
  perform tenuto._audit(p_org_id, 'dag', p_name, 'rollback',
    jsonb_build_object(
      'version', (select v.version from tenuto.dag_versions v where v.org_id = p_org_id and v.id = v_to)),
    jsonb_build_object('version', nullif(p_expected, 0)));

  return query
  select p_name, v.version, v.yaml_hash, v.status,
         (select f.version from tenuto.dag_versions f where f.org_id = p_org_id and f.id = v_from)
  from tenuto.dag_versions v
  where v.org_id = p_org_id and v.id = v_to;
end
$$;

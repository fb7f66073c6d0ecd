-- ready | superseded -> current, and current -> superseded: makes the version p_to of a DAG current, instead of the
-- version p_expected that the caller saw as current (0: none). Raises TN004 if another version is current now. With
-- p_force also staged | building | failed -> current. Returns the version that was current before.
create or replace function tenuto._move_pointer(
  p_org_id uuid, p_dag_id uuid, p_expected int, p_to uuid, p_force boolean default false)
  returns uuid
  language plpgsql
as $$
declare
  v_from uuid;
  v_current int;
begin
  select v.id, v.version into v_from, v_current
  from tenuto.dag_current_versions c
  join tenuto.dag_versions v on v.org_id = c.org_id and v.id = c.dag_version_id
  where c.org_id = p_org_id and c.dag_id = p_dag_id
  for update of c;
  if coalesce(v_current, 0) <> p_expected then
    perform tenuto._raise('TN004',
      format('%s is current, not %s: the DAG was changed at the same time',
        coalesce('version ' || v_current, 'no version'), p_expected),
      'look at the current version and repeat the call');
  end if;

  update tenuto.dag_versions
  set status = 'superseded'
  where org_id = p_org_id and id = v_from and status = 'current' and id <> p_to;

  update tenuto.dag_versions
  set status = 'current'
  where org_id = p_org_id and dag_id = p_dag_id and id = p_to
    and (status in ('ready', 'superseded') or (p_force and status in ('staged', 'building', 'failed')));
  if not found then
    perform tenuto._raise('TN004', format('version %s cannot become current: it is %s',
      (select v.version from tenuto.dag_versions v where v.org_id = p_org_id and v.id = p_to),
      (select v.status from tenuto.dag_versions v where v.org_id = p_org_id and v.id = p_to)),
      case when exists (select from tenuto.dag_versions v
                        where v.org_id = p_org_id and v.id = p_to and v.status = 'failed')
           then 'deploy its document again, which computes what failed; an admin can force the cutover'
           else 'wait until it is ready; an admin can force the cutover' end);
  end if;

  insert into tenuto.dag_current_versions (org_id, dag_id, dag_version_id, updated_at)
  values (p_org_id, p_dag_id, p_to, tenuto.now())
  on conflict (org_id, dag_id) do update
    set dag_version_id = excluded.dag_version_id,
        updated_at = excluded.updated_at;
  return v_from;
end
$$;

-- Checks a DAG version if the org sets wider_readers to deny: a role that can read a dataset must be able to read its
-- sources. Raises TN009 if a dataset has a source that one of its readers cannot read. Sources that the current version
-- (p_current, null: none) already uses for the dataset are not checked. Every dataset that a job reads is a source,
-- because it is not known here which of its columns the job uses. Takes a lock, so that deploys and grants of such an
-- org are checked one at a time.
create or replace function tenuto._check_readers(p_org_id uuid, p_version_id uuid, p_current uuid)
  returns void
  language plpgsql
  set plan_cache_mode = force_custom_plan
as $$
declare
  v_denied text;
begin
  if not tenuto._lock_readers(p_org_id) then
    return;
  end if;
  select string_agg(format('role %s reads %s, which will be computed from %s, but cannot read %s', f.role, f.name,
           f.source, f.source), '; ' order by f.role, f.name, f.source)
  into v_denied
  from (
    select r.name as role, n.name, s.name as source
    from (
      select e.dataset_id, e.source_id from tenuto._version_sources(p_org_id, p_version_id) e
      except
      select c.dataset_id, c.source_id from tenuto._version_sources(p_org_id, p_current) c) e
    join tenuto.datasets d on d.org_id = p_org_id and d.id = e.dataset_id
    join tenuto.datasets s on s.org_id = p_org_id and s.id = e.source_id
    join tenuto.dag_version_datasets n
      on n.org_id = p_org_id and n.dag_version_id = p_version_id and n.dataset_id = e.dataset_id
    join tenuto.org_roles r on r.org_id = p_org_id and r.id = any (d.read_roles) and r.id <> all (s.read_roles)
    limit 10) f;
  if v_denied is not null then
    perform tenuto._raise('TN009', format('the org denies this deploy: %s', v_denied),
      'let these roles read the sources, or ask an admin to set wider_readers of the org to warn');
  end if;
end
$$;

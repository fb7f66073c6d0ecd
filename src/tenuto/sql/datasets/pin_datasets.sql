-- Returns the data of the datasets p_names that the caller can read, for a query, fixed at this time: version,
-- definition and committed folders, up to 1,000 (null if there are more). Leaves out datasets that do not exist or that
-- no role of the user can read; the result does not show which of the two. p_every: the caller can read every dataset
-- of the org. By default, returns the current version. p_version_id: returns this version, for the dataset that has it.
-- p_dag_version: returns the version that the dataset had in this version of its DAG; with p_dag, only for datasets of
-- that DAG. p_at: returns the state at this time. version_id is null for a dataset without such a version.
create or replace function tenuto.pin_datasets(
  p_org_id uuid, p_names text[], p_user_id uuid default null, p_every boolean default false,
  p_dag text default null, p_dag_version int default null, p_version_id uuid default null,
  p_at timestamptz default null)
  returns table (name text, dataset_id uuid, version_id uuid, dag text, dag_version int, storage jsonb,
    storage_location text, columns jsonb, unique_key jsonb, locations jsonb, purged boolean)
  language sql
  stable
  set plan_cache_mode = force_custom_plan
as $$
  select d.name, d.id, v.id, g.name, n.version, v.storage, v.storage_location,
         j.definition -> 'outputs' -> s.output -> 'columns',
         case when j.definition ->> 'update_strategy' = 'append' then j.definition -> 'unique_key' end,
         case when f.count <= 1000 then f.locations end,
         v.purged_at is not null
  from tenuto.datasets d
  join tenuto.dags g on g.org_id = d.org_id and g.id = d.dag_id
  left join lateral (
    select s.*
    from tenuto.dag_version_datasets s
    join tenuto.dag_versions m on m.org_id = s.org_id and m.id = s.dag_version_id
    where s.org_id = d.org_id and s.dataset_id = d.id
      and case
        when exists (select from tenuto.dataset_versions o
                     where o.org_id = d.org_id and o.id = p_version_id and o.dataset_id = d.id)
          then s.dataset_version_id = p_version_id
        when p_dag_version is not null and (p_dag is null or p_dag = g.name) then m.version = p_dag_version
        when p_at is not null then s.dag_version_id = (
          select h.to_version_id
          from tenuto.deploy_history h
          where h.org_id = d.org_id and h.dag_id = d.dag_id and h.action in ('cutover', 'rollback')
            and h.created_at <= p_at
          order by h.id desc
          limit 1)
        else s.dag_version_id = (
          select c.dag_version_id
          from tenuto.dag_current_versions c
          where c.org_id = d.org_id and c.dag_id = d.dag_id)
      end
    order by m.version desc
    limit 1) s on true
  left join tenuto.dag_versions n on n.org_id = s.org_id and n.id = s.dag_version_id
  left join tenuto.dataset_versions v on v.org_id = s.org_id and v.id = s.dataset_version_id
  left join tenuto.jobs j on j.org_id = s.org_id and j.dag_version_id = s.dag_version_id and j.job_key = s.job_key
  cross join lateral (
    select count(*) as count, coalesce(jsonb_agg(c.location order by c.partition_key, c.id), '[]') as locations
    from tenuto._committed_locations(d.org_id, v.id, null,
      coalesce(j.definition ->> 'update_strategy' = 'append', false), null, null, 1001,
      p_before => tenuto._uuid7_floor(p_at)) c) f
  where d.org_id = p_org_id and d.name = any (p_names) and d.deleted_at is null
    and (p_every or exists (
      select from tenuto.org_role_memberships m
      where m.org_id = p_org_id and m.user_id = p_user_id and m.role_id = any (d.read_roles)))
  order by d.name;
$$;

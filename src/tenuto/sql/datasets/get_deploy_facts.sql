-- Returns the facts that a plan needs: the current version of a DAG with its YAML, and whether the new document is
-- deployed already. datasets: for each dataset in p_datasets its DAG, the roles that can read it and how many
-- partitions its current version has, counted up to 100,000. wider_readers: what the org does if a role can read a
-- dataset but not all of its sources (warn or deny). readers: the jobs of other DAGs that read datasets of this DAG, up
-- to 1,000.
create or replace function tenuto.get_deploy_facts(p_org_id uuid, p_name text, p_yaml_hash text, p_datasets text[])
  returns table (current_version int, current_yaml text, deployed_version int, deployed_status text, datasets jsonb,
    wider_readers text, readers jsonb)
  language sql
  stable
as $$
  select c.version, c.yaml, n.version, n.status,
         (select coalesce(jsonb_object_agg(s.name, jsonb_build_object(
                   'dag', o.name,
                   'partitions', case when s.current_version_id is not null then (
                     select count(*)
                     from (select from tenuto.current_partitions p
                           where p.org_id = s.org_id and p.dataset_version_id = s.current_version_id
                           limit 100000) p) end,
                   'read_roles', array(select r.name from tenuto.org_roles r
                                       where r.org_id = s.org_id and r.id = any (s.read_roles) order by r.name))), '{}')
          from tenuto.datasets s
          join tenuto.dags o on o.org_id = s.org_id and o.id = s.dag_id
          where s.org_id = p_org_id and s.name = any (p_datasets) and s.deleted_at is null),
         coalesce((select o.settings ->> 'wider_readers' from tenuto.orgs o where o.id = p_org_id), 'warn'),
         (select coalesce(jsonb_agg(to_jsonb(r)), '[]')
          from (
            select distinct r.dataset, r.dag, r.job
            from tenuto._outside_readers(p_org_id, d.id, array(
              select s.id from tenuto.datasets s
              where s.org_id = p_org_id and s.dag_id = d.id and s.deleted_at is null)) r
            order by 1, 2, 3
            limit 1000) r)
  from (select 1) one
  left join tenuto.dags d on d.org_id = p_org_id and d.name = p_name and d.deleted_at is null
  left join tenuto.dag_versions c on c.org_id = d.org_id and c.dag_id = d.id and c.status = 'current'
  left join tenuto.dag_versions n on n.org_id = d.org_id and n.dag_id = d.id and n.yaml_hash = p_yaml_hash
$$;

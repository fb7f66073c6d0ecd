-- Returns the facts that an OpenLineage event needs and that its effect does not contain. The facts are about the
-- subject of the event: an attempt, a job or a version of a dataset. Facts that retention has deleted are null.
-- namespace: the org's setting lineage_namespace, or tenuto:// followed by the org's slug.
create or replace function tenuto.get_lineage_facts(p_org_id uuid, p_subject jsonb, p_event jsonb)
  returns table (namespace text, facts jsonb)
  language sql
  stable
  set plan_cache_mode = force_custom_plan
as $$
  select coalesce(o.settings ->> 'lineage_namespace', 'tenuto://' || o.slug),
         case when p_subject ? 'task_id'
              then tenuto._run_facts(p_org_id, (p_subject ->> 'task_id')::uuid, (p_subject ->> 'attempt')::int)
              when p_subject ? 'job_id' then tenuto._job_facts(p_org_id, (p_subject ->> 'job_id')::uuid)
              else tenuto._dataset_facts(p_org_id, (p_event ->> 'version_id')::uuid) end
  from tenuto.orgs o
  where o.id = p_org_id;
$$;

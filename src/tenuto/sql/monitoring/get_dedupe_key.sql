-- Returns the dedupe key that a run was started with; null if it has none. Leaves out the keys that queued tasks of
-- jobs get automatically, one per partition.
create or replace function tenuto.get_dedupe_key(p_org_id uuid, p_run_id uuid)
  returns text
  language sql
  stable
as $$
  select d.key
  from tenuto.dedupe_keys d
  where d.run_id = p_run_id and d.org_id = p_org_id
    and not exists (
      select from tenuto.job_tasks t where t.task_id = d.run_id and d.scope = t.job_key || ':' || t.config_hash)
  limit 1;
$$;

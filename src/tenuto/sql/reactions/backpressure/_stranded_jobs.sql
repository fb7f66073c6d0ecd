-- Returns what sweep_jobs has to repair, as keys: `org:` and the id of an org with held jobs that no backlog holds any
-- more, or `readers:` and the id of a DAG version whose build is done although jobs of other DAGs still have to react
-- to its data.
create or replace function tenuto._stranded_jobs()
  returns table (key text, org_id uuid)
  language sql
  stable
  set plan_cache_mode = force_custom_plan
  set jit = off
as $$
  select 'org:' || o.org_id, o.org_id
  from (select distinct c.org_id from tenuto.job_controls c where c.held_at is not null) o
  where exists (
    select from tenuto.job_controls c
    where c.org_id = o.org_id
      and c.held_at is not null
      and c.job_key not in (select h.job_key from tenuto._held_jobs(o.org_id) h))
  union all
  select distinct 'readers:' || u.dag_version_id, u.org_id
  from tenuto.reader_updates u
  join tenuto.builds b on b.dag_version_id = u.dag_version_id
  where b.phase = 'done';
$$;

-- Returns a page of the jobs that read the current version of a dataset, in the order of their keys, starting after the
-- key p_after. Each row has how far the job has read, and how many events of the dataset came after that, counted up to
-- 1,000. A job that has not read anything yet has no row.
create or replace function tenuto.list_cursors(
  p_org_id uuid, p_name text, p_after uuid default null, p_limit int default 50)
  returns table (dag text, job text, job_key uuid, version_id uuid, cursor uuid, behind int, task_id uuid,
    updated_at timestamptz)
  language plpgsql
  stable
  set plan_cache_mode = force_custom_plan
as $$
declare
  v_dataset record;
begin
  perform tenuto._check_page(p_limit);
  select d.id, d.version_id into v_dataset from tenuto.get_dataset(p_org_id, p_name) d;
  return query
  select g.name, n.name, c.job_key, c.dataset_version_id, c.cursor, l.behind, c.task_id, c.updated_at
  from (
    select distinct on (c.job_key) c.*
    from tenuto.dataset_cursors c
    where c.org_id = p_org_id and c.dataset_version_id = v_dataset.version_id
      and (p_after is null or c.job_key > p_after)
    order by c.job_key, c.cursor desc
    limit p_limit) c
  join tenuto.job_controls k on k.org_id = c.org_id and k.job_key = c.job_key
  join tenuto.dags g on g.org_id = k.org_id and g.id = k.dag_id
  cross join lateral (
    select j.name
    from tenuto.jobs j
    join tenuto.dag_versions v on v.org_id = j.org_id and v.id = j.dag_version_id
    where j.org_id = c.org_id and j.job_key = c.job_key
    order by v.status = 'current' desc, v.version desc
    limit 1) n
  cross join lateral (
    select count(*)::int as behind
    from (
      select from tenuto.events e
      where e.org_id = p_org_id and e.dataset_id = v_dataset.id and e.id > c.cursor
        and e.dataset_version_id = c.dataset_version_id
      limit 1000) e) l
  order by c.job_key;
end
$$;

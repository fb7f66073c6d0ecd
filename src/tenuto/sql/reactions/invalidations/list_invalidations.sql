-- Returns a page of invalidations, newest first, starting before the id p_before. p_dataset: only invalidations of this
-- dataset. p_id: only this invalidation; raises TN001 if there is none. consumers: the jobs that read the data, with
-- how many of their tasks completed and failed.
create or replace function tenuto.list_invalidations(
  p_org_id uuid, p_dataset text default null, p_id uuid default null, p_before uuid default null,
  p_limit int default 50)
  returns table (id uuid, dataset text, first text, last text, partitions text[], row_filter jsonb, reason text,
    created_by text, status text, error text, total bigint, planned bigint, invalidated bigint, consumers jsonb,
    created_at timestamptz, ended_at timestamptz)
  language plpgsql
  stable
  set plan_cache_mode = force_custom_plan
as $$
declare
  v_dataset_id uuid;
begin
  perform tenuto._check_page(p_limit);
  if p_dataset is not null then
    v_dataset_id := (select d.id from tenuto.get_dataset(p_org_id, p_dataset) d);
  end if;
  return query
  select i.id, d.name, i.first_key, i.last_key, array_remove(i.partitions, ''), i.row_filter, i.reason, i.created_by,
         i.status, i.error, i.total, i.planned, i.invalidated,
         (select coalesce(jsonb_agg(jsonb_build_object('job',
                   (select g.name || '/' || j.name from tenuto.jobs j
                    join tenuto.dag_versions v on v.org_id = j.org_id and v.id = j.dag_version_id
                    join tenuto.dags g on g.org_id = v.org_id and g.id = v.dag_id
                    where j.org_id = c.org_id and j.job_key = c.job_key order by v.version desc limit 1),
                   'direct', c.direct, 'completed', c.completed, 'failed', c.failed, 'done_at', c.done_at)
                   order by c.direct desc, c.job_key), '[]')
          from tenuto.invalidation_consumers c
          where c.org_id = i.org_id and c.invalidation_id = i.id),
         i.created_at, i.ended_at
  from tenuto.data_invalidations i
  join tenuto.datasets d on d.org_id = i.org_id and d.id = i.dataset_id
  where i.org_id = p_org_id
    and (v_dataset_id is null or i.dataset_id = v_dataset_id)
    and (p_id is null or i.id = p_id)
    and (p_before is null or i.id < p_before)
  order by i.id desc
  limit p_limit;
  if p_id is not null and not found then
    perform tenuto._raise('TN001', format('no invalidation %s', p_id), 'list the invalidations to see which exist');
  end if;
end
$$;

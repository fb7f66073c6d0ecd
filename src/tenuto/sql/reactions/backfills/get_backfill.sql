-- Returns a backfill with its progress. Raises TN001 if there is none.
create or replace function tenuto.get_backfill(p_org_id uuid, p_id uuid)
  returns table (id uuid, dataset text, dag text, job text, first text, last text, partitions text[], reprocess text,
    downstream text, concurrency int, descending boolean, reason text, created_by text, status text, error text,
    total bigint, planned bigint, skipped bigint, started bigint, completed bigint, failed bigint,
    downstream_completed bigint, downstream_failed bigint, created_at timestamptz, ended_at timestamptz)
  language plpgsql
  stable
as $$
begin
  return query
  select b.id, d.name, g.name,
         (select j.name from tenuto.jobs j
          join tenuto.dag_versions v on v.org_id = j.org_id and v.id = j.dag_version_id
          where j.org_id = b.org_id and j.job_key = b.job_key
          order by v.version desc limit 1),
         b.first_key, b.last_key, array_remove(b.partitions, ''), b.reprocess, b.downstream, b.concurrency,
         b.descending, b.reason, b.created_by, b.status, b.error, b.total, b.planned, b.skipped, b.started,
         b.completed, b.failed, b.downstream_completed, b.downstream_failed, b.created_at, b.ended_at
  from tenuto.backfills b
  join tenuto.datasets d on d.org_id = b.org_id and d.id = b.dataset_id
  join tenuto.dags g on g.org_id = d.org_id and g.id = d.dag_id
  where b.org_id = p_org_id and b.id = p_id;
  if not found then
    perform tenuto._raise('TN001', format('no backfill %s', p_id), 'list the backfills to see which exist');
  end if;
end
$$;

-- Returns a page of backfills, newest first, starting before the id p_before. p_dataset: only backfills of this
-- dataset. p_status: only backfills with this status.
create or replace function tenuto.list_backfills(
  p_org_id uuid, p_dataset text default null, p_status text default null, p_before uuid default null,
  p_limit int default 50)
  returns table (id uuid, dataset text, dag text, job text, first text, last text, partitions text[], reprocess text,
    downstream text, concurrency int, descending boolean, reason text, created_by text, status text, error text,
    total bigint, planned bigint, skipped bigint, started bigint, completed bigint, failed bigint,
    downstream_completed bigint, downstream_failed bigint, created_at timestamptz, ended_at timestamptz)
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
  select s.*
  from (
    select b.id
    from tenuto.backfills b
    where b.org_id = p_org_id
      and (v_dataset_id is null or b.dataset_id = v_dataset_id)
      and (p_status is null or b.status = p_status)
      and (p_before is null or b.id < p_before)
    order by b.id desc
    limit p_limit) b
  cross join lateral tenuto.get_backfill(p_org_id, b.id) s
  order by s.id desc;
end
$$;

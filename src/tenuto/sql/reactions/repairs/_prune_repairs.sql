-- Deletes the backfills and invalidations p_ids, with their rows in repair_tasks and invalidation_consumers. Deletes at
-- most p_limit rows of repair_tasks per call; a repair that has more of them stays until a later call. Returns how many
-- rows were deleted, not counting consumers.
create or replace function tenuto._prune_repairs(p_ids uuid[], p_limit int)
  returns bigint
  language sql
as $$
  with tasks as (
    delete from tenuto.repair_tasks t
    where (t.repair_id, t.task_id) in (
      select o.repair_id, o.task_id from tenuto.repair_tasks o where o.repair_id = any (p_ids) limit p_limit)
    returning t.repair_id
  ), emptied as materialized (
    select r.id
    from unnest(p_ids) r(id)
    where (select count(*) from tasks t where t.repair_id = r.id)
      = (select count(*) from (select from tenuto.repair_tasks t where t.repair_id = r.id limit p_limit + 1) t)
  ), backfills as (
    delete from tenuto.backfills b where b.id in (select id from emptied) returning 1
  ), invalidations as (
    delete from tenuto.data_invalidations i where i.id in (select id from emptied) returning 1
  )
  select (select count(*) from tasks) + (select count(*) from backfills) + (select count(*) from invalidations);
$$;

-- Returns how many tasks of an org have ended with each status since the first rollup.
create or replace function tenuto._count_ended_tasks(
  p_org_id uuid, out completed bigint, out failed bigint, out cancelled bigint, out skipped bigint)
  language sql
  stable
as $$
  select coalesce(sum(r.completed), 0)::bigint, coalesce(sum(r.failed), 0)::bigint,
         coalesce(sum(r.cancelled), 0)::bigint, coalesce(sum(r.skipped), 0)::bigint
  from tenuto.rollups r
  where r.org_id = p_org_id
    and r.period = 'total'
    and r.dimension = 'type';
$$;

-- Returns how many workers of an org have each status and each health, and how many of their tasks are stuck.
create or replace function tenuto._count_workers(
  p_org_id uuid,
  out starting bigint, out active bigint, out draining bigint, out error bigint, out terminated bigint,
  out external bigint, out healthy bigint, out stale bigint, out no_heartbeat bigint, out stuck bigint,
  out stuck_tasks bigint, out dead bigint)
  language sql
  stable
as $$
  select count(*) filter (where (h.worker).status = 'starting'),
         count(*) filter (where (h.worker).status = 'active'),
         count(*) filter (where (h.worker).status = 'draining'),
         count(*) filter (where (h.worker).status = 'error'),
         (select count(*)
          from (select from tenuto.workers t where t.org_id = p_org_id and t.status = 'terminated' limit 10000) t),
         count(*) filter (where (h.worker).status = 'active' and (h.worker).instance_type = 'external'),
         count(*) filter (where h.health_status = 'healthy'),
         count(*) filter (where h.health_status = 'stale_heartbeat'),
         count(*) filter (where h.health_status = 'no_heartbeat'),
         count(*) filter (where h.health_status = 'stuck_task'),
         coalesce(sum(h.stuck_tasks), 0)::bigint,
         count(*) filter (where h.health_status = 'dead')
  from tenuto._worker_health(p_org_id) h;
$$;

-- Takes shared locks, until the transaction ends, on the DAGs whose jobs read the outputs that the events are about. An
-- effect in p_effects can also route the events that have waited for a job or a DAG version; then locks the DAG of this
-- job or version too. So nothing in these DAGs becomes current, building or paused while events are routed. Never
-- waits: returns the DAGs that it could not lock, because another transaction, such as a deploy, changes them.
create or replace function tenuto._lock_consumers(p_events tenuto.event_place[], p_effects tenuto.outbox[])
  returns uuid[]
  language sql
as $$
  select coalesce(array_agg(d.id) filter (where not pg_try_advisory_xact_lock_shared(tenuto._dag_lock(d.id))), '{}')
  from (
    select c.dag_id as id
    from (select p.org_id, array_agg(p.event_id) as ids from unnest(p_events) p group by p.org_id) e
    cross join lateral tenuto._sources(e.org_id, e.ids) s
    cross join lateral tenuto._consumers(
      e.org_id, s.dataset_id, s.dataset_version_id, s.job_key, s.output, s.dag_version_id) c
    union
    select tenuto._paused_dag(o)
    from unnest(p_effects) o
    where o.payload ?| array['version', 'job']) d
  where d.id is not null;
$$;

-- Returns the facts for a decision about a pool: its policy (with the idle timeout of the reactive jobs that it
-- serves), its machines that have not ended, how many ready tasks its workers could take, how many of its recent
-- machines registered or failed, how many machines its provider runs for the org, and how many machines were requested
-- by hand. decision_no: pass it to decide_pool as p_expected. decide_pool then refuses the decision if the pool was
-- changed since.
create or replace function tenuto.get_pool_facts(p_org_id uuid, p_pool_id uuid)
  returns table (
    policy jsonb, decision_no bigint, paused boolean, machines jsonb, ready bigint,
    registered bigint, failed bigint, last_failed boolean, scaled_down_seconds float8, last_ready bigint,
    provider_machines bigint, requested int)
  language sql
  stable
as $$
  select to_jsonb(p) || jsonb_build_object('idle_timeout_seconds', tenuto._pool_idle_seconds(p)), p.decision_no,
         p.paused_at is not null,
         coalesce((
           select jsonb_agg(jsonb_build_object(
                    'id', m.id, 'status', m.status, 'provider_id', m.provider_id, 'running', m.running,
                    'idle_seconds', m.idle_seconds, 'age_seconds', m.age_seconds, 'has_registered', m.has_registered,
                    'external', m.external, 'error', left(m.error, 1024))
                  order by m.created_at desc, m.id)
           from tenuto._pool_machines(p_org_id, p_pool_id) m), '[]'),
         coalesce(w.ready, 0), s.registered, s.failed, s.last_failed,
         extract(epoch from tenuto.now() - p.scaled_down_at)::float8,
         (select (d.facts ->> 'ready')::bigint
          from tenuto.scaling_decisions d
          where d.org_id = p_org_id and d.pool_id = p.id
          order by d.decided_at desc, d.id desc
          limit 1),
         tenuto._count_provider_machines(p_org_id, p.provider), p.requested
  from tenuto.pools p
  left join tenuto._pool_work(p_org_id) w on w.pool_id = p.id
  cross join lateral tenuto._pool_spawns(p_org_id, p.id, interval '1 second' * p.failure_window_seconds) s
  where p.org_id = p_org_id
    and p.id = p_pool_id;
$$;

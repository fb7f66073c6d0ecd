-- Returns what begins when a copy of the database is adopted: pools, schedules, backfills, effects and tasks of each
-- org. number: up to 100,000. names: of the first 20 pools and schedules, of the destinations of effects, and of the
-- queues of tasks. next_at: the next time of a schedule.
create or replace function tenuto.list_open_work()
  returns table (org text, kind text, number bigint, names text[], next_at timestamptz)
  language sql
  stable
  set plan_cache_mode = force_custom_plan
  set jit = off
as $$
  select o.slug, w.kind, w.number, w.names, w.next_at
  from tenuto.orgs o
  cross join lateral (
    select 'pools' as kind, count(*) as number, (array_agg(p.name order by p.name))[:20] as names,
           null::timestamptz as next_at
    from tenuto.pools p
    where p.org_id = o.id and p.paused_at is null
    union all
    select 'schedules', count(*), (array_agg(s.name order by s.next_at, s.name))[:20], min(s.next_at)
    from (
      select s.name, s.next_at
      from tenuto.schedules s
      where s.org_id = o.id and s.paused_at is null and not s.held
      limit 100000) s
    union all
    select 'backfills', count(*), '{}', null
    from tenuto.backfills b
    where b.org_id = o.id and b.status in ('running', 'cancelling')
    union all
    select 'effects', count(*), (array_agg(distinct nullif(e.destination, '')) filter (where e.destination <> ''))[:20],
           null
    from (
      select e.destination
      from tenuto.outbox e
      where e.org_id = o.id and e.status in ('pending', 'processing') and e.kind in ('deliver', 'emit_lineage')
      limit 100000) e
    union all
    select 'tasks', least(sum(t.number), 100000),
           (select (array_agg(distinct q.name))[:20] from tenuto.list_queues(o.id) q
            where q.ready + q.delayed + q.waiting + q.running > 0),
           null
    from (
      select t.ready + t.delayed + t.waiting + t.pending + t.running as number
      from tenuto._count_open_tasks(o.id) t) t
  ) w
  where w.number > 0
  order by o.slug, w.kind;
$$;

-- Returns the OpenLineage event that is due for a running attempt, if any. It is START if a destination has no event of
-- the attempt yet, or RUNNING if the last event was delivered more than a minute ago.
create or replace function tenuto._unemitted(p_org_id uuid, p_task_id uuid, p_attempt int, p_started_at timestamptz)
  returns table (type text, at timestamptz)
  language sql
  stable
  rows 1
as $$
  select case when o.id is null then 'START' else 'RUNNING' end,
         case when o.id is null then p_started_at else tenuto.now() end
  from tenuto.destinations d
  left join tenuto.outbox o
    on o.org_id = d.org_id and o.scope = 'emit_lineage' and o.key = p_task_id || ':' || p_attempt || ':' || d.name
  where d.org_id = p_org_id and d.openlineage
    and (o.id is null or (o.status = 'done' and o.processed_at < tenuto.now() - interval '1 minute'))
  order by o.id nulls first
  limit 1;
$$;

-- Returns the state of the rows that tasks of a DAG version appended to sinks. waiting: true if rows are not added yet,
-- or if their events are not routed yet. error: the error of a dead effect that could not add its rows.
create or replace function tenuto._unflushed(
  p_org_id uuid, p_dag_version_id uuid, out waiting boolean, out error text)
  language sql
  stable
as $$
  select exists (
           select from tenuto.outbox o
           where o.org_id = p_org_id and o.payload ->> 'dag_version_id' = p_dag_version_id::text
             and o.kind = 'sink' and o.status in ('pending', 'processing'))
         or exists (
           select from tenuto.outbox o
           where o.org_id = p_org_id
             and coalesce(o.payload ->> 'dag_version_id', o.payload ->> 'version') = p_dag_version_id::text
             and o.kind = 'route_event' and o.status in ('pending', 'processing') and o.payload ? 'sink'),
         (select format('effect %s cannot add rows to a sink: %s', o.id, left(o.last_error, 500))
          from tenuto.outbox o
          where o.org_id = p_org_id and o.payload ->> 'dag_version_id' = p_dag_version_id::text
            and o.kind = 'sink' and o.status = 'dead'
          order by o.id
          limit 1);
$$;

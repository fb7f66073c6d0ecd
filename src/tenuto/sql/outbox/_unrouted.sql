-- Returns true if an effect that routes events of a DAG version is not done yet: it is pending, processing or dead.
create or replace function tenuto._unrouted(p_org_id uuid, p_dag_version_id uuid)
  returns boolean
  language sql
  stable
as $$
  select exists (
    select from tenuto.outbox o
    where o.org_id = p_org_id
      and coalesce(o.payload ->> 'dag_version_id', o.payload ->> 'version') = p_dag_version_id::text
      and o.kind = 'route_event' and o.status in ('pending', 'processing', 'dead'));
$$;

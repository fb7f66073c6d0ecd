-- Returns the outputs that events are about, each once: events of one output have the same consumers.
create or replace function tenuto._sources(p_org_id uuid, p_event_ids uuid[])
  returns table (source text, dataset_id uuid, dataset_version_id uuid, job_key uuid, output int, dag_version_id uuid)
  language sql
  stable
as $$
  select distinct on (1) tenuto._source(s.dataset_version_id, s.dag_version_id, s.job_key, s.output), s.*
  from (
    select distinct e.dataset_id, e.dataset_version_id, e.job_key, e.output, e.dag_version_id
    from tenuto.events e
    where e.id = any (p_event_ids) and e.org_id = p_org_id) s;
$$;

-- Returns the routes of a worker's queues and types (null: all) that it can serve: the worker has their labels,
-- supports their language, is at an address that their data requires, and has code that can continue their tasks.
create or replace function tenuto._served_routes(p_worker tenuto.workers, p_queues text[], p_types text[])
  returns setof tenuto.routes
  language sql
  stable
as $$
  select r.*
  from tenuto.routes r
  where r.org_id = p_worker.org_id
    and (p_queues is null or r.queue = any (p_queues))
    and (p_types is null or r.type = any (p_types))
    and r.language = any (p_worker.languages)
    and r.labels <@ p_worker.labels
    and (r.addresses = '{}' or p_worker.address = any (r.addresses))
    and (r.blocked_versions = '{}' or tenuto._code_version(p_worker, r.type) <> all (r.blocked_versions));
$$;

-- Returns a UUID for the id of a worker, which is a text in Tenuto.
create or replace function tenuto_compat_spider._worker_id(p_worker_id text)
  returns uuid
  language sql
  immutable parallel safe
return md5('worker ' || p_worker_id)::uuid;

-- Returns the version of the code with which a worker runs tasks of this type. If the worker runs this type from a
-- bundle, this is the hash of the bundle, otherwise the code version with which the worker registered. p_registered:
-- the code version of an earlier session of the worker, to use instead of the latest.
create or replace function tenuto._code_version(p_worker tenuto.workers, p_type text, p_registered text default null)
  returns text
  language sql
  stable
as $$
  select coalesce(
    (select b.sha256
     from tenuto.bundle_types b
     where p_worker.metadata ? 'bundles'
       and not coalesce(p_worker.metadata -> 'types' ? p_type, false)
       and b.org_id = p_worker.org_id
       and b.type = p_type),
    p_registered,
    left(p_worker.metadata ->> 'code_version', 64),
    '');
$$;

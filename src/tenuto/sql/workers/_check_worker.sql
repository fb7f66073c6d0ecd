-- Raises TN003 for a worker id or instance type that is missing or too long. Also raises TN003 for a code version of
-- more than 64 bytes, because routes list code versions and must fit into an index. Raises TN007 for metadata over 1
-- MB.
create or replace function tenuto._check_worker(p_worker_id text, p_instance_type text, p_metadata jsonb)
  returns void
  language plpgsql
as $$
begin
  perform tenuto._check_name('a worker id', coalesce(p_worker_id, ''));
  perform tenuto._check_name(format('the instance type of worker %s', p_worker_id), coalesce(p_instance_type, ''));
  perform tenuto._check_name(format('the code version of worker %s', p_worker_id),
    nullif(p_metadata ->> 'code_version', ''), 64);
  perform tenuto._check_size(format('the metadata of worker %s', p_worker_id), p_metadata);
end
$$;

-- Does the same as delete_run, without an audit entry, for callers that write one entry for several runs.
create or replace function tenuto._delete_run(p_org_id uuid, p_run_id uuid)
  returns boolean
  language plpgsql
as $$
declare
  v_run tenuto.runs;
  v_retry uuid;
begin
  perform tenuto._require_read_committed();
  -- The run is locked, so that a retry of it is accepted either before or after the delete.
  perform from tenuto.runs where id = p_run_id and org_id = p_org_id for update;
  v_run := tenuto._final_run(p_org_id, p_run_id);
  select q.run_id into v_retry from tenuto.run_requests q where q.source_id = p_run_id limit 1;
  if found then
    perform tenuto._raise('TN004', format('run %s is being copied by its retry %s', p_run_id, v_retry),
      'delete it after the retry has copied all its tasks');
  elsif not tenuto._is_large(v_run) then
    perform tenuto._delete_runs(array[p_run_id]);
    return true;
  end if;
  perform tenuto._delete_run_rows(array[p_run_id]);
  insert into tenuto.run_requests (run_id, verb, org_id, requested_at, worked_at)
  values (p_run_id, 'delete', p_org_id, tenuto.now(), tenuto.now());
  return false;
end
$$;

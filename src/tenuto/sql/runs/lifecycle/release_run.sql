-- pending -> queued, for the tasks of a held run, when the transaction commits. Returns whether the run was held: a
-- second release returns false and changes nothing. Raises TN001 if the run does not exist, and TN004 if it was
-- cancelled while it was held.
create or replace function tenuto.release_run(p_org_id uuid, p_run_id uuid)
  returns boolean
  language plpgsql
as $$
declare
  v_run tenuto.runs;
begin
  perform tenuto._require_read_committed();
  v_run := (tenuto._find_run(p_org_id, p_run_id)).run;
  if not exists (select from tenuto.held_runs h where h.run_id = p_run_id and h.org_id = p_org_id) then
    return false;
  elsif v_run.cancel_requested_at is not null then
    perform tenuto._raise('TN004', format('run %s was cancelled while it was held', p_run_id),
      'retry it to start its tasks after all');
  end if;
  insert into tenuto.release_requests (run_id, org_id, requested_at)
  values (p_run_id, p_org_id, tenuto.now())
  on conflict (run_id) do nothing;
  -- A second statement, because the first may have waited for another release.
  if not (found and exists (select from tenuto.held_runs h where h.run_id = p_run_id)) then
    return false;
  end if;
  perform tenuto._audit(p_org_id, 'run', p_run_id::text, 'release');
  return true;
end
$$;

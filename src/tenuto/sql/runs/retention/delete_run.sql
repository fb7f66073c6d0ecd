-- Deletes a final run with its tasks, attempts, edges, slots, data, logs, signals, references and dedupe keys. Returns
-- true if everything is deleted. Returns false for a large run: the run is deleted now, and advance_requests deletes
-- its tasks later. Raises TN004 for a run that has not ended, and for a run that its retry is still copying.
create or replace function tenuto.delete_run(p_org_id uuid, p_run_id uuid)
  returns boolean
  language plpgsql
as $$
declare
  v_done boolean := tenuto._delete_run(p_org_id, p_run_id);
begin
  perform tenuto._audit(p_org_id, 'run', p_run_id::text, 'delete');
  return v_done;
end
$$;

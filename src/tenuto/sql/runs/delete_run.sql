-- Deletes a final run with its tasks, attempts, edges, slots, data, logs, signals, references and dedupe keys.
create or replace function tenuto.delete_run(p_org_id uuid, p_run_id uuid)
  returns void
  language plpgsql
as $$
begin
  perform tenuto._final_run(p_org_id, p_run_id);
  perform tenuto._delete_runs(array[p_run_id]);
end
$$;

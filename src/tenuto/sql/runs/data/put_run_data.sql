-- Appends values to the data of a run that has not ended, for a caller that is not a task of the run. Returns the ids
-- of the values. p_metadata: a JSON object that is stored with each of the values.
create or replace function tenuto.put_run_data(
  p_org_id uuid, p_run_id uuid, p_values jsonb, p_tags text[] default '{}', p_metadata jsonb default null)
  returns uuid[]
  language plpgsql
as $$
declare
  v_ids uuid[];
begin
  perform tenuto._open_run(p_org_id, p_run_id);
  v_ids := tenuto._write_run_data(p_org_id, p_run_id, null, null, p_values, p_tags, p_metadata);
  perform tenuto._audit(p_org_id, 'run_data', p_run_id::text, 'put',
    jsonb_build_object('keys', array(select k from jsonb_object_keys(p_values) k limit 20)));
  return v_ids;
end
$$;

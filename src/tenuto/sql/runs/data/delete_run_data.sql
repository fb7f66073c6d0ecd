-- Deletes a key of a run's data with all its values, or one value by its id. Returns how many values were deleted.
-- Raises TN001 if the run does not exist.
create or replace function tenuto.delete_run_data(
  p_org_id uuid, p_run_id uuid, p_key text default null, p_data_id uuid default null)
  returns bigint
  language plpgsql
as $$
declare
  v_count bigint;
begin
  if num_nonnulls(p_key, p_data_id) <> 1 then
    perform tenuto._raise('TN003', 'pass either a key or the id of a value');
  end if;
  delete from tenuto.run_data
  where org_id = p_org_id and run_id = p_run_id and (key = p_key or id = p_data_id);
  get diagnostics v_count = row_count;
  if v_count = 0 and not exists (select from tenuto.runs r where r.org_id = p_org_id and r.id = p_run_id) then
    perform tenuto._raise('TN001', format('no run %s', p_run_id));
  end if;
  perform tenuto._audit(p_org_id, 'run_data', p_run_id::text, 'delete',
    p_old => jsonb_build_object('what', coalesce(p_key, p_data_id::text)));
  return v_count;
end
$$;

-- Sets keys of a run's metadata, removes keys whose value is null, and returns the metadata. Works for ended runs too.
-- The other keys stay, so that two callers can set different keys at the same time. Until the first change, a run has
-- the metadata of the task with which it was started.
create or replace function tenuto.set_run_metadata(p_org_id uuid, p_run_id uuid, p_changes jsonb)
  returns jsonb
  language plpgsql
as $$
declare
  v_metadata jsonb;
begin
  update tenuto.runs r
  set metadata = tenuto._change_metadata(
    format('the metadata of run %s', p_run_id),
    coalesce(r.metadata, tenuto._first_metadata(r.id)),
    p_changes)
  where r.id = p_run_id
    and r.org_id = p_org_id
  returning r.metadata into v_metadata;

  if not found then
    perform tenuto._raise('TN001', format('no run %s', p_run_id), 'list the runs to see which exist');
  end if;
  perform tenuto._audit(p_org_id, 'run', p_run_id::text, 'set', jsonb_build_object('metadata', p_changes));
  return v_metadata;
end
$$;

-- Deletes a schedule without an entry in the audit log: delete_schedule adds the entry, and declare_schedules returns
-- its changes for the audit log. Raises TN001 if there is no such schedule, TN004 if it belongs to a job of a DAG.
create or replace function tenuto._delete_schedule(p_org_id uuid, p_name text)
  returns void
  language plpgsql
as $$
begin
  perform tenuto._refuse_job_schedule(p_org_id, p_name);
  delete from tenuto.schedules where org_id = p_org_id and name = p_name;
  if not found then
    perform tenuto._raise('TN001', format('no schedule %s', p_name), 'list the schedules to see which exist');
  end if;
  perform tenuto.unpark_rows('fire_schedules', array[p_org_id || ':' || p_name]);
end
$$;

-- Raises TN004 if a schedule belongs to a job of a DAG, because only the document of the DAG can change such a
-- schedule.
create or replace function tenuto._refuse_job_schedule(p_org_id uuid, p_name text)
  returns void
  language plpgsql
as $$
begin
  perform from tenuto.schedules s where s.org_id = p_org_id and s.name = p_name and s.job_key is not null;
  if found then
    perform tenuto._raise('TN004', format('schedule %s belongs to a job of a DAG', p_name),
      'change the source of the job in the document and deploy it');
  end if;
end
$$;

-- Makes the jobs of a new version differ from those of earlier versions that were computed from deleted datasets, so
-- that nothing which these published is used again. The other hash may have been computed from a deleted dataset too.
create or replace function tenuto._leave_lost_sources(p_org_id uuid, p_dag_id uuid, p_version_id uuid)
  returns void
  language plpgsql
as $$
begin
  loop
    perform tenuto._tell_job_apart(p_org_id, l.job_id, l.lost)
    from tenuto._lost_sources(p_org_id, p_dag_id, p_version_id) l;
    exit when not found;
  end loop;
end
$$;

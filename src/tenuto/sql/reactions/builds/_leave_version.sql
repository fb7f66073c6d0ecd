-- Makes dispatchers cancel the tasks of a DAG version, including those of its build. Part of a rollback or of the
-- deletion of the DAG. Transactions that saw the version as current may still add tasks, so dispatchers search for
-- tasks for one minute.
create or replace function tenuto._leave_version(p_org_id uuid, p_version_id uuid)
  returns void
  language plpgsql
as $$
begin
  insert into tenuto.builds as b (dag_version_id, org_id, phase, due_at, cancel_until)
  values (p_version_id, p_org_id, 'cancel', tenuto.now(), tenuto.now() + interval '1 minute')
  on conflict (dag_version_id) do update
    set phase = 'cancel', due_at = excluded.due_at, cancel_until = excluded.cancel_until, position = null,
        cutover_from = null, actor = null;
  delete from tenuto.build_inputs where dag_version_id = p_version_id;
end
$$;

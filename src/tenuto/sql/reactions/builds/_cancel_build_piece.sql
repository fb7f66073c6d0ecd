-- Cancels the tasks of a DAG version after a rollback or the deletion of the DAG, at most 200 per call. When there are
-- no more tasks, the build is due again after 10 seconds, to search for new ones, until no transaction can add tasks
-- any more (cancel_until).
create or replace function tenuto._cancel_build_piece(p_build tenuto.builds, p_dag_id uuid)
  returns void
  language plpgsql
as $$
declare
  v_last uuid := tenuto._cancel_version_tasks(p_build.org_id, p_dag_id, p_build.dag_version_id, p_build.position,
    tenuto._build_piece());
  v_done boolean := v_last is null and tenuto.now() >= p_build.cancel_until;
begin
  update tenuto.builds
  set position = v_last,
      phase = case when v_done then 'done' else phase end,
      cancel_until = case when not v_done then cancel_until end,
      due_at = case when v_last is not null then tenuto.now()
                    when not v_done then least(cancel_until, tenuto.now() + interval '10 seconds') end
  where dag_version_id = p_build.dag_version_id;
end
$$;

-- building -> ready | failed, when all tasks of the build have ended, their events are routed, the rows that they
-- appended are in the datasets of their sinks, and no job that the build computes is paused. Before that, counts the
-- tasks that have ended. A version that is ready becomes current if it was deployed with p_auto, unless another version
-- became current in the meantime. After a forced cutover the version stays current, whatever the outcome of its build.
-- Tasks that a rollback cancelled are started again if the version is current again.
create or replace function tenuto._follow_build(p_build tenuto.builds)
  returns void
  language plpgsql
as $$
declare
  v_ends record := tenuto._take_build_ends(p_build.org_id, p_build.dag_version_id, p_build.position, 1000);
  v_open boolean := exists (
    select from tenuto.build_tasks t where t.dag_version_id = p_build.dag_version_id and not t.failed);
  v_failed boolean := exists (
    select from tenuto.build_tasks t where t.dag_version_id = p_build.dag_version_id and t.failed);
  v_sinks record := tenuto._unflushed(p_build.org_id, p_build.dag_version_id);
  v_paused text := tenuto._paused_in_build(p_build);
  v_again boolean := v_ends.rolled_back and exists (
    select from tenuto.dag_versions v
    where v.org_id = p_build.org_id and v.id = p_build.dag_version_id and v.status = 'current');
begin
  v_open := v_open or v_paused is not null or v_again or v_sinks.waiting;
  v_failed := v_failed or v_sinks.error is not null;
  update tenuto.builds
  set completed = completed + v_ends.completed,
      failed = failed + v_ends.failed,
      error = case when v_failed then coalesce(error, v_ends.error, v_sinks.error) else v_paused end,
      position = v_ends.last,
      phase = case when v_again then 'retry' when v_open then phase else 'done' end,
      due_at = case when v_open then tenuto.now() + interval '1 second' * (v_ends.last is null and not v_again)::int end
  where dag_version_id = p_build.dag_version_id;
  if v_open then
    return;
  end if;
  perform tenuto._resume_version(p_build);   -- after a forced cutover
  perform pg_advisory_xact_lock(tenuto._dag_lock(
    (select v.dag_id from tenuto.dag_versions v where v.org_id = p_build.org_id and v.id = p_build.dag_version_id)));
  if v_failed then
    perform tenuto._fail_version(p_build.org_id, p_build.dag_version_id);
    return;
  end if;
  perform tenuto._make_version_ready(p_build.org_id, p_build.dag_version_id);
  if p_build.cutover_from is not null then
    perform tenuto._cutover_build(p_build);
  end if;
end
$$;

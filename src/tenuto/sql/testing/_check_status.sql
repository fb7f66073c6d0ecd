-- Test databases only: raises an error when a run, a worker or a version of a DAG changes its status in a way that
-- task_transitions does not allow. A single-task run has no status of its own until tasks are added to it. A run whose
-- created_at is before the statement is not checked when it is inserted: drop_partitions has moved its row.
create or replace function tenuto._check_status()
  returns trigger
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_from text := case when tg_op = 'UPDATE' then old.status end;
begin
  if tg_argv[0] = 'run' and tg_op = 'INSERT' and new.created_at < tenuto.now() then
    return null;
  end if;
  if not exists (
    select from tenuto.task_transitions t
    where t.entity = tg_argv[0] and t.from_state is not distinct from v_from and t.to_state = new.status) then
    raise exception '% % moved from % to %, which task_transitions does not allow',
      tg_argv[0], new.id, coalesce(v_from, 'nowhere'), new.status;
  end if;
  return null;
end
$$;

create or replace trigger a_run_starts_legally after insert on tenuto.runs
  for each row when (new.status is not null) execute function tenuto._check_status('run');
create or replace trigger a_run_moves_legally after update on tenuto.runs
  for each row when (old.status is not null and old.status is distinct from new.status)
  execute function tenuto._check_status('run');
create or replace trigger a_worker_starts_legally after insert on tenuto.workers
  for each row execute function tenuto._check_status('worker');
create or replace trigger a_worker_moves_legally after update on tenuto.workers
  for each row when (old.status is distinct from new.status) execute function tenuto._check_status('worker');
create or replace trigger a_version_starts_legally after insert on tenuto.dag_versions
  for each row execute function tenuto._check_status('DAG version');
create or replace trigger a_version_moves_legally after update on tenuto.dag_versions
  for each row when (old.status is distinct from new.status) execute function tenuto._check_status('DAG version');

-- Tasks of jobs: what each was started for. Written with the task, never changed.
create table tenuto.job_tasks (
  task_id        uuid not null,
  org_id         uuid not null,
  job_key        uuid not null,
  dag_version_id uuid not null,
  config_hash    text not null,
  partition_key  text not null,   -- '' for a task without a partition
  input_versions jsonb not null,
  rebuild        boolean not null,
  constraint a_task_is_of_one_job primary key (task_id),
  constraint partition_key_is_not_too_long check (octet_length(partition_key) <= 256),
  constraint config_hash_is_a_hash check (config_hash ~ '^[0-9a-f]{64}$'),
  constraint input_versions_are_a_list check (jsonb_typeof(input_versions) = 'array')
) partition by range (task_id);

create index job_tasks_job_idx on tenuto.job_tasks (org_id, job_key);

create table tenuto.job_tasks_default partition of tenuto.job_tasks default;
insert into tenuto.partitioned_tables (table_name, key_column) values ('job_tasks', 'task_id');

-- For the weeks that exist already, so that these rows are dropped with their tasks.
do $$
declare
  v_week record;
begin
  for v_week in
    select substring(c.relname from '\d{4}_w\d{2}$') as name, pg_get_expr(c.relpartbound, c.oid) as ids
    from pg_inherits i
    join pg_class c on c.oid = i.inhrelid
    where i.inhparent = 'tenuto.tasks'::regclass and c.relname ~ '\d{4}_w\d{2}$'
  loop
    execute format('create table tenuto.%I partition of tenuto.job_tasks %s', 'job_tasks_' || v_week.name, v_week.ids);
  end loop;
end
$$;

-- What a task read, and since when nobody has used a limit.

-- The memo by which work is known to be done already: one row for each partition of each dataset that a task read.
-- partition_key is '' for a dataset without partitions; fingerprint is a hash of the content, equal where the content is,
-- whatever version it came with. It goes with its task. What it names is another context's: no foreign key watches it.
create table tenuto.task_inputs (
  task_id            uuid not null,
  dataset_id         uuid not null,
  partition_key      text not null default '',
  org_id             uuid not null,
  dataset_version_id uuid not null,
  fingerprint        text not null,
  constraint an_input_is_noted_once primary key (task_id, dataset_id, partition_key),
  constraint partition_key_is_not_too_long check (length(partition_key) <= 256),
  constraint fingerprint_is_not_empty check (length(fingerprint) between 1 and 256)
) partition by range (task_id);

create index task_inputs_memo_idx on tenuto.task_inputs (org_id, fingerprint);
create index task_inputs_version_idx on tenuto.task_inputs (dataset_version_id);

create table tenuto.task_inputs_default partition of tenuto.task_inputs default;
insert into tenuto.partitioned_tables (table_name, key_column) values ('task_inputs', 'task_id');

-- Inputs of tasks of the weeks that are there already, so that they go with these weeks too.
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
    execute format('create table tenuto.%I partition of tenuto.task_inputs %s', 'task_inputs_' || v_week.name, v_week.ids);
  end loop;
end
$$;

alter table tenuto.limits add column idle_since timestamptz;

create index limits_idle_idx on tenuto.limits (idle_since) where idle_since is not null;
create index limits_busy_idx on tenuto.limits (id) where idle_since is null;

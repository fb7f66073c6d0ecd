-- Events: an output of a job has changed, or a task emitted one. Their ids are those of the partition versions, or new
-- UUIDv7. Weekly partitions: they are dropped with the tasks of their week.
create table tenuto.events (
  id                 uuid not null,
  org_id             uuid not null,
  job_key            uuid not null,   -- the producer, and which of its outputs
  output             int not null,
  dag_version_id     uuid not null,
  dataset_id         uuid,            -- null: the output is not published
  dataset_version_id uuid,
  partition_key      text not null,   -- '' for an event without a partition
  fingerprint        text,            -- null: it was emitted, without data in a dataset
  task_id            uuid not null,
  data               jsonb,
  created_at         timestamptz not null,
  constraint an_event_exists_once primary key (id),
  constraint output_is_a_position check (output between 0 and 99),
  constraint a_dataset_has_a_version check ((dataset_id is null) = (dataset_version_id is null)),
  constraint partition_key_is_not_too_long check (octet_length(partition_key) <= 256),
  constraint fingerprint_is_a_hash check (fingerprint ~ '^[0-9a-f]{64}$'),
  constraint data_is_an_object check (jsonb_typeof(data) = 'object')
) partition by range (id);

create index events_org_idx on tenuto.events (org_id, id);
create index events_dataset_idx on tenuto.events (org_id, dataset_id, id);
create table tenuto.events_default partition of tenuto.events default;

-- What an event did to a job of a version of a DAG that reads the output. One row per event and job.
create table tenuto.event_reactions (
  event_id       uuid not null,
  job_id         uuid not null,
  org_id         uuid not null,
  job_key        uuid not null,
  dag_version_id uuid not null,
  partition_key  text not null,   -- of the task
  reaction       text not null,
  reason         text,
  task_id        uuid,
  created_at     timestamptz not null,
  constraint a_job_reacts_once primary key (event_id, job_id),
  constraint reaction_is_known check (reaction in ('triggered', 'deduped', 'filtered', 'paused', 'stale')),
  constraint a_task_is_named check ((reaction in ('triggered', 'deduped')) = (task_id is not null)),
  constraint other_reactions_have_a_reason check (reaction in ('triggered', 'deduped') or reason is not null),
  constraint reason_is_not_too_long check (octet_length(reason) <= 1024)
) partition by range (event_id);

create index event_reactions_job_idx on tenuto.event_reactions (org_id, job_key, event_id);
-- What waits for a cutover or for a paused job.
create index event_reactions_paused_idx on tenuto.event_reactions (org_id, job_id, event_id)
  where reaction = 'paused';
create table tenuto.event_reactions_default partition of tenuto.event_reactions default;

insert into tenuto.partitioned_tables (table_name, key_column)
values ('events', 'id'), ('event_reactions', 'event_id');

-- For the weeks that exist already.
do $$
declare
  v_week record;
begin
  for v_week in
    select n.name, substring(c.relname from '\d{4}_w\d{2}$') as week, pg_get_expr(c.relpartbound, c.oid) as ids
    from pg_inherits i
    join pg_class c on c.oid = i.inhrelid
    cross join (values ('events'), ('event_reactions')) n(name)
    where i.inhparent = 'tenuto.tasks'::regclass and c.relname ~ '\d{4}_w\d{2}$'
  loop
    execute format('create table tenuto.%I partition of tenuto.%I %s', v_week.name || '_' || v_week.week, v_week.name,
      v_week.ids);
  end loop;
end
$$;

-- The consumers of a dataset are looked up among the versions that count now, not among all that were deployed.
alter table tenuto.job_inputs add column dag_version_id uuid;
update tenuto.job_inputs i
set dag_version_id = j.dag_version_id
from tenuto.jobs j
where j.org_id = i.org_id and j.id = i.job_id;
alter table tenuto.job_inputs
  alter column dag_version_id set not null,
  add constraint input_is_of_a_version foreign key (org_id, dag_version_id) references tenuto.dag_versions (org_id, id);
create index job_inputs_consumers_idx on tenuto.job_inputs (org_id, dataset_id, dag_version_id);
create index job_inputs_children_idx on tenuto.job_inputs (org_id, parent_key, dag_version_id);
create index job_inputs_version_idx on tenuto.job_inputs (org_id, dag_version_id);
drop index tenuto.job_inputs_dataset_idx;
drop index tenuto.job_inputs_parent_idx;
create index dag_versions_open_idx on tenuto.dag_versions (org_id, dag_id, version)
  where status in ('staged', 'building', 'ready', 'current', 'failed');

-- Finds out whether events of a version of a DAG are routed.
create index outbox_routes_idx on tenuto.outbox
  (org_id, (coalesce(payload ->> 'dag_version_id', payload ->> 'version')))
  where kind = 'route_event' and status in ('pending', 'processing', 'dead');

-- What an event does to one job, before it is written.
create type tenuto.event_decision as (
  event_id       uuid,
  job_id         uuid,
  job_key        uuid,
  dag_version_id uuid,
  rebuild        boolean,
  partitions     text[],
  reaction       text,
  reason         text
);

-- A task that an event starts, or finds queued.
create type tenuto.event_start as (
  event_id  uuid,
  partition text,
  task_id   uuid,
  is_first  boolean
);

-- An event that an effect names, and its place in the effect.
create type tenuto.event_place as (
  effect_id bigint,
  org_id    uuid,
  no        int,
  event_id  uuid
);

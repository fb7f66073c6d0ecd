-- Returns the part of a task's pinned inputs that is stored in job_tasks. Returns it as a table of one row: Postgres
-- inlines a function in `from` into the query, so it is not called for every task.
create or replace function tenuto._input_versions(p_pins jsonb)
  returns table (versions jsonb)
  language sql
  immutable parallel safe
as $$
  select coalesce(jsonb_agg(jsonb_build_object(
    'dataset', i.value -> 'dataset', 'dataset_id', i.value -> 'dataset_id', 'version_id', i.value -> 'version_id',
    'partition', i.value -> 'partition', 'fingerprint', i.value -> 'fingerprint',
    'cursor', i.value -> 'cursor') order by i.no), '[]')
  from jsonb_array_elements(p_pins) with ordinality i(value, no);
$$;

-- Returns what the consumers of an event are found by: the version of its dataset, or the unpublished output.
create or replace function tenuto._source(
  p_dataset_version_id uuid, p_dag_version_id uuid, p_job_key uuid, p_output int)
  returns text
  language sql
  immutable parallel safe
return coalesce(p_dataset_version_id::text, p_dag_version_id || '/' || p_job_key || '/' || p_output);

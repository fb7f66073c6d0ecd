-- Returns the key by which the consumers of an event are found: the dataset version, or the output if it has no
-- dataset. Each part is cast to text: `uuid || text` is not immutable, so Postgres could not inline the function and
-- would call it for every row.
create or replace function tenuto._source(
  p_dataset_version_id uuid, p_dag_version_id uuid, p_job_key uuid, p_output int)
  returns text
  language sql
  immutable parallel safe
return coalesce(p_dataset_version_id::text, p_dag_version_id::text || '/' || p_job_key::text || '/' || p_output::text);

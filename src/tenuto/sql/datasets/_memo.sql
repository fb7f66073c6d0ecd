-- Returns the hash of a computation: of the job, its definition, the partition of the task, and the fingerprints of
-- what the task reads. Returns null for a task that reads nothing, or that reads something without a fingerprint. All
-- parts except the partition have fixed lengths, so that two different computations never give the same text.
create or replace function tenuto._memo(p_job_key uuid, p_config_hash text, p_partition text, p_inputs jsonb)
  returns bytea
  language sql
  immutable parallel safe
as $$
  select case when count(*) > 0 and count(*) = count(i.value ->> 'fingerprint')
              then sha256(convert_to(
                concat_ws('/', p_job_key, p_config_hash, p_partition,
                  string_agg(i.value ->> 'fingerprint', '/' order by i.no)), 'UTF8')) end
  from jsonb_array_elements(p_inputs) with ordinality i(value, no);
$$;

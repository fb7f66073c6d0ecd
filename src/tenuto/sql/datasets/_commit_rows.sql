-- -> committed: adds a row set to the dataset of a sink, as a commit of its own. Returns the id of the commit.
create or replace function tenuto._commit_rows(
  p_set tenuto.row_sets, p_rows bigint, p_fingerprint text, p_schema_hash text)
  returns uuid
  language plpgsql
as $$
declare
  v_id uuid := tenuto._uuid7();
begin
  insert into tenuto.partition_versions (id, org_id, dataset_version_id, partition_key, task_id, attempt, location,
    rows, fingerprint, schema_hash, checks, inputs, committed_at)
  values (v_id, p_set.org_id, p_set.dataset_version_id, '', p_set.task_id, p_set.attempt, p_set.location, p_rows,
          p_fingerprint, p_schema_hash, '[]', '[]', tenuto.now());
  insert into tenuto.current_partitions as c
    (org_id, dataset_version_id, partition_key, partition_version_id, task_id)
  values (p_set.org_id, p_set.dataset_version_id, '', v_id, p_set.task_id)
  on conflict (org_id, dataset_version_id, partition_key) do update
    set partition_version_id = excluded.partition_version_id,
        task_id = excluded.task_id;
  return v_id;
end
$$;

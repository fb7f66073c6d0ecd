-- Appends values to the run's data and returns their ids. Each value is stored with its own copy of the metadata, so
-- the size of the metadata is bounded. One copy can have at most 16 KB, so that the metadata of a page of 1,000 values
-- stays below 16 MB. All copies of a call can have at most 16 MB together.
create or replace function tenuto._write_run_data(
  p_org_id uuid, p_run_id uuid, p_task_id uuid, p_attempt int, p_values jsonb, p_tags text[], p_metadata jsonb)
  returns uuid[]
  language plpgsql
as $$
declare
  v_ids uuid[];
  v_bytes bigint := coalesce(pg_column_size(p_metadata), 0);
begin
  if jsonb_typeof(p_values) is distinct from 'object' or p_values = '{}' then
    perform tenuto._raise('TN003', 'run data is not a JSON object of keys and values');
  end if;
  if jsonb_typeof(p_metadata) <> 'object' then
    perform tenuto._raise('TN003', format('the metadata of run data is a JSON %s', jsonb_typeof(p_metadata)),
      'write a JSON object');
  end if;
  if v_bytes > 16384 then
    perform tenuto._raise('TN007', format('the metadata of run data has %s bytes, more than 16384', v_bytes),
      'write it as a value of its own');
  elsif v_bytes > 0 and v_bytes * (select count(*) from jsonb_object_keys(p_values)) > tenuto._max_output_bytes() then
    perform tenuto._raise('TN007',
      format('each value is stored with a copy of the metadata of %s bytes, which is more than 16 MB in all', v_bytes),
      'write fewer values per call');
  end if;
  perform tenuto._check_name('a key of run data', e.key, 1024),
    tenuto._check_size(format('run data %s', e.key), e.value)
  from jsonb_each(p_values) e;
  perform tenuto._check_names('the tags of run data', p_tags);
  with new as (
    insert into tenuto.run_data (id, org_id, run_id, key, value, tags, task_id, attempt, created_at, metadata)
    select tenuto._uuid7(), p_org_id, p_run_id, e.key, e.value,
           array(select distinct t from unnest(p_tags) t order by 1), p_task_id, p_attempt, tenuto.now(), p_metadata
    from jsonb_each(p_values) e
    returning id
  )
  select array_agg(id) into v_ids from new;
  return v_ids;
end
$$;

-- Returns what is wrong with the publications of an attempt, or null. They must be a list of up to 1,000 publications
-- and 1 MB. No two of them can have the same output and partition. Each must have a location where only this attempt
-- writes. Raises no error for invalid JSON, so that the caller can end this task and continue with the others. Locks
-- the dataset versions, so that they are not deleted before the transaction ends.
create or replace function tenuto._check_publications(p_task tenuto.task_outputs)
  returns text
  language plpgsql
as $$
declare
  v_entry record;
  v_version record;
  v_version_id uuid;
  v_scheme jsonb;
  v_wrong text;
begin
  if jsonb_typeof(p_task.published) <> 'array' or jsonb_array_length(p_task.published) > 1000
     or pg_column_size(p_task.published) > 1048576 then
    return 'published is not a list of up to 1,000 publications and 1 MB';
  end if;
  for v_entry in
    select p.value as json, p.no - 1 as no
    from jsonb_array_elements(p_task.published) with ordinality p(value, no)
  loop
    select s.dataset_version_id, j.definition -> 'outputs' -> s.output -> 'partition'
    into v_version_id, v_scheme
    from tenuto.dag_version_datasets s
    join tenuto.jobs j on j.org_id = s.org_id and j.dag_version_id = s.dag_version_id and j.job_key = s.job_key
    where s.org_id = p_task.org_id and s.dag_version_id = p_task.dag_version_id and s.job_key = p_task.job_key
      and to_jsonb(s.output) = v_entry.json -> 'output';
    if not found then
      v_version_id := tenuto._sink_version(p_task.org_id, p_task.dag_version_id, p_task.job_key,
        v_entry.json -> 'output');
    end if;
    select v.storage_location, v.storage ->> 'kind' as kind into v_version
    from tenuto.dataset_versions v
    where v.org_id = p_task.org_id and v.id = v_version_id
    for key share;
    if not found then
      return format('publication %s: the job publishes no output %s', v_entry.no,
        coalesce(left(v_entry.json ->> 'output', 100), 'null'));
    end if;
    v_wrong := tenuto._check_publication(v_entry.json, v_version.storage_location,
      p_task.task_id || '-' || p_task.attempt || '/');
    v_wrong := coalesce(v_wrong, tenuto._check_lineage(v_entry.json -> 'lineage', jsonb_array_length(p_task.inputs)),
      tenuto._check_alerts(v_entry.json -> 'alerts'));
    if v_wrong is null and v_scheme ->> 'kind' = 'time'
       and not tenuto._is_period(v_scheme ->> 'every', v_entry.json ->> 'partition') then
      v_wrong := format('partition %s is not a %s; publish keys such as %s',
        coalesce(quote_literal(v_entry.json ->> 'partition'), 'null'), v_scheme ->> 'every',
        tenuto._time_partition(v_scheme ->> 'every', timestamp '2026-11-17 05:00'));
    end if;
    if v_wrong is null and v_scheme ->> 'kind' = 'range'
       and not tenuto._is_range((v_scheme ->> 'size')::bigint, v_entry.json ->> 'partition') then
      v_wrong := format('partition %s is not a range%s; publish keys such as 0-%s',
        coalesce(quote_literal(v_entry.json ->> 'partition'), 'null'), coalesce(' of ' || (v_scheme ->> 'size'), ''),
        coalesce(v_scheme ->> 'size', '1000'));
    end if;
    if v_wrong is null and v_version.kind = 'postgres' and (v_entry.json ->> 'rows')::bigint > 0 then
      perform from tenuto.row_sets r
      where r.org_id = p_task.org_id and r.location = v_entry.json ->> 'location';
      v_wrong := case when not found then 'its rows were not staged, and the dataset is stored in Postgres' end;
    end if;
    if v_wrong is not null then
      return format('output %s: %s', v_entry.json ->> 'output', v_wrong);
    end if;
  end loop;
  select format('output %s publishes partition %s twice', p ->> 'output', coalesce(p ->> 'partition', 'null'))
  into v_wrong
  from jsonb_array_elements(p_task.published) p
  group by p ->> 'output', p ->> 'partition'
  having count(*) > 1
  limit 1;
  return v_wrong;
exception
  when data_exception or invalid_text_representation or numeric_value_out_of_range then
    return format('published is not valid: %s', left(sqlerrm, 500));
end
$$;

-- Raises an error for details that name no task, or name a task twice, and for invalid values. An error in a task must
-- be found when the task is started. Later, it would fail a loop that makes the task ready together with other tasks.
create or replace function tenuto._check_details(p_details jsonb, p_count int)
  returns void
  language plpgsql
as $$
declare
  v_bad record;
begin
  if jsonb_typeof(p_details) <> 'array' then
    perform tenuto._raise('TN003', 'details are not a JSON array');
  end if;
  perform tenuto._check_keys('a task''s details', d,
    array['task', 'name', 'priority', 'available_at', 'delay_seconds', 'limits', 'metadata', 'queue_job_id', 'slots',
          'outputs', 'copy_of'])
  from jsonb_array_elements(p_details) d;

  select w.* into v_bad
  from (
    select d.task, case
        when d.task is null or d.task not between 0 and p_count - 1 then 'there is no such task'
        when row_number() over (partition by d.task) > 1 then 'its details are given twice'
        when d.delay_seconds not between 0 and 315360000
          then format('delay_seconds is %s, not from 0 to ten years', d.delay_seconds)
        when d.available_at not between tenuto.now() - interval '100 years' and tenuto.now() + interval '100 years'
          then format('available_at is %s, more than a hundred years away', d.available_at)
        when not tenuto._slots_are_sound(d.slots)
          then 'slots are not [{"type": …, and one of "value": …, "object": id, '
            '"task": number with "output": number}, …]'
      end as wrong
    from jsonb_to_recordset(p_details) as d(task int, delay_seconds float8, available_at timestamptz, slots jsonb)
  ) w
  where w.wrong is not null
  limit 1;
  if found then
    perform tenuto._raise('TN003', format('details of task %s: %s', v_bad.task, v_bad.wrong));
  end if;

  perform tenuto._check_name(format('the name of task %s', d.task), d.name),
          tenuto._check_name(format('queue_job_id of task %s', d.task), d.queue_job_id),
          tenuto._check_size(format('the metadata of task %s', d.task), d.metadata),
          tenuto._check_size(format('the list of slots of task %s', d.task), d.slots),
          tenuto._check_size(format('the list of outputs of task %s', d.task), d.outputs)
  from jsonb_to_recordset(p_details) as d(
    task int, name text, queue_job_id text, metadata jsonb, slots jsonb, outputs jsonb)
  where octet_length(d.name) not between 1 and 256
     or octet_length(d.queue_job_id) not between 1 and 256
     or greatest(pg_column_size(d.metadata), pg_column_size(d.slots), pg_column_size(d.outputs)) > 1048576;
end
$$;

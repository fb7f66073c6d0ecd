-- Appends values to the run's data and returns their ids.
create or replace function tenuto._write_run_data(
  p_org_id uuid, p_run_id uuid, p_task_id uuid, p_attempt int, p_values jsonb, p_tags text[])
  returns uuid[]
  language plpgsql
as $$
declare
  v_ids uuid[];
begin
  if jsonb_typeof(p_values) is distinct from 'object' or p_values = '{}' then
    perform tenuto._raise('TN003', 'run data is not a JSON object of keys and values');
  end if;
  perform tenuto._check_name('a key of run data', e.key, 1024),
    tenuto._check_size(format('run data %s', e.key), e.value)
  from jsonb_each(p_values) e;
  perform tenuto._check_names('the tags of run data', p_tags);
  with new as (
    insert into tenuto.run_data (id, org_id, run_id, key, value, tags, task_id, attempt, created_at)
    select tenuto._uuid7(), p_org_id, p_run_id, e.key, e.value,
           array(select distinct t from unnest(p_tags) t order by 1), p_task_id, p_attempt, tenuto.now()
    from jsonb_each(p_values) e
    returning id
  )
  select array_agg(id) into v_ids from new;
  return v_ids;
end
$$;

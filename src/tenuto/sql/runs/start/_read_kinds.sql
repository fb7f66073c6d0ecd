-- Checks the kinds of a start and returns them, each with its route. Errors name the wrong value and what to write
-- instead. Types that begin with tenuto. belong to operators. Only jobs (p_of_jobs) can start tasks of these types,
-- because the input of such a task says which folders it reads, and a client must not choose these folders.
create or replace function tenuto._read_kinds(p_org_id uuid, p_kinds jsonb, p_of_jobs boolean default false)
  returns tenuto.task_spec[]
  language plpgsql
as $$
declare
  v_json jsonb;
  v_read record;
  v_kinds tenuto.task_spec[] := '{}';
begin
  if jsonb_typeof(p_kinds) is distinct from 'array' then
    perform tenuto._raise('TN003', 'kinds are not a JSON array');
  end if;
  for v_json in select jsonb_array_elements(p_kinds)
  loop
    perform tenuto._check_keys('a kind', v_json,
      array['type', 'queue', 'language', 'labels', 'priority', 'max_attempts', 'max_losses', 'backoff_seconds',
            'timeout_seconds', 'heartbeat_timeout_seconds', 'optional', 'handler']);
    begin
      select * into v_read
      from jsonb_to_record(v_json) as k(
        type text, queue text, language text, labels text[], priority int, max_attempts int, max_losses int,
        backoff_seconds real, timeout_seconds real, heartbeat_timeout_seconds real, optional boolean, handler text);
    exception when data_exception or invalid_text_representation then
      perform tenuto._raise('TN003', format('kind %s: %s', v_json, sqlerrm));
    end;
    if v_read.type is null then
      perform tenuto._raise('TN003', format('kind %s has no type', left(v_json::text, 200)),
        'write {"type": "app.function", …}: workers find the function by its type');
    end if;
    perform tenuto._check_name('the type of a kind', v_read.type);
    if starts_with(v_read.type, 'tenuto.') and not p_of_jobs then
      perform tenuto._raise('TN003', format('type %s is an operator, which only a job of a DAG runs', v_read.type),
        'deploy a DAG, or give your app another name');
    end if;
    perform tenuto._check_queue_name(format('the queue of %s', v_read.type), v_read.queue);
    perform tenuto._check_name(format('the language of %s', v_read.type), v_read.language);
    perform tenuto._check_names(format('the labels of %s', v_read.type), v_read.labels);
    if octet_length(concat(v_read.type, v_read.queue, v_read.language, v_read.labels)) > 2000 then
      perform tenuto._raise('TN007',
        format('type, queue, language and labels of %s have more than 2000 bytes together', v_read.type));
    elsif v_read.max_attempts not between 1 and 100 then
      perform tenuto._raise('TN003',
        format('max_attempts of %s is %s, not 1 to 100', v_read.type, v_read.max_attempts));
    elsif v_read.max_losses not between 1 and 1000 then
      perform tenuto._raise('TN003', format('max_losses of %s is %s, not 1 to 1000', v_read.type, v_read.max_losses));
    elsif v_read.backoff_seconds not between 0 and 315360000
       or not (v_read.timeout_seconds > 0 and v_read.timeout_seconds <= 315360000)
       or not (v_read.heartbeat_timeout_seconds > 0 and v_read.heartbeat_timeout_seconds <= 315360000) then
      -- Rejects NaN and infinity too: a deadline computed from them would make the claims of all tasks fail.
      perform tenuto._raise('TN003',
        format('backoff of %s is negative, a timeout is not positive, or one of them is over ten years', v_read.type));
    elsif v_read.handler not in ('completed', 'failed', 'cancelled') then
      perform tenuto._raise('TN003',
        format('handler of %s is %L, not completed, failed or cancelled', v_read.type, v_read.handler));
    end if;
    v_kinds := v_kinds || (
      tenuto._intern_route(
        p_org_id,
        coalesce(v_read.queue, 'default'),
        v_read.type,
        coalesce(v_read.language, 'python'),
        coalesce(v_read.labels, '{}')),
      coalesce(v_read.queue, 'default'),
      coalesce(v_read.priority, 0),
      coalesce(v_read.max_attempts, 3),
      v_read.max_losses,
      coalesce(v_read.backoff_seconds, 2),
      v_read.timeout_seconds,
      v_read.heartbeat_timeout_seconds,
      coalesce(v_read.optional, false),
      v_read.handler)::tenuto.task_spec;
  end loop;
  return v_kinds;
end
$$;

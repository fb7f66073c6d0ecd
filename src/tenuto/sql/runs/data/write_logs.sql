-- Appends log lines of attempts, at most 10,000 per call, and returns how many were written. Drops lines beyond 10,000
-- per attempt. Cuts a message after 8,192 characters; for fields beyond 8 KB, stores only their size. Drops lines
-- without a line number, and lines that a worker with a key writes for attempts that no session of that key held.
-- Accepts lines of attempts that the session no longer holds: the log of a lost attempt helps to find out why it was
-- lost.
create or replace function tenuto.write_logs(p_session_id bigint, p_token uuid, p_lines jsonb)
  returns bigint
  language plpgsql
as $$
declare
  v_count bigint;
begin
  if not tenuto._session_exists(p_session_id, p_token) then
    perform tenuto._raise('TN002', format('no session %s', p_session_id));
  end if;
  if jsonb_typeof(p_lines) is distinct from 'array' then
    perform tenuto._raise('TN003', 'log lines are not a JSON array');
  elsif jsonb_array_length(p_lines) > 10000 then
    perform tenuto._raise('TN007', format('%s log lines in one call, more than 10,000', jsonb_array_length(p_lines)),
      'write them in several calls');
  end if;
  with lines as materialized (
    select l.*
    from jsonb_to_recordset(p_lines) as l(
      task_id uuid, attempt int, line_no int, logged_at timestamptz, level text, message text, fields jsonb)
    where l.line_no between 1 and 10000 and l.attempt is not null
  ), own as materialized (
    select d.task_id, d.attempt, t.org_id
    from (select distinct l.task_id, l.attempt from lines l) d
    join tenuto.tasks t on t.id = d.task_id
    join tenuto.sessions s on s.id = p_session_id and s.org_id = t.org_id
    where s.worker_key_id is null
       or exists (
         select from tenuto.running_tasks r join tenuto.sessions h on h.id = r.session_id
         where r.id = d.task_id and r.attempt = d.attempt and h.worker_key_id = s.worker_key_id)
       or exists (
         select from tenuto.task_attempts a join tenuto.sessions h on h.id = a.session_id
         where a.task_id = d.task_id and a.attempt = d.attempt and h.worker_key_id = s.worker_key_id)
  )
  insert into tenuto.task_logs (task_id, attempt, line_no, org_id, logged_at, level, message, fields)
  select l.task_id, l.attempt, l.line_no, o.org_id, coalesce(l.logged_at, tenuto.now()),
         coalesce(left(l.level, 32), 'info'), left(coalesce(l.message, ''), 8192),
         case when pg_column_size(l.fields) > 8192
              then jsonb_build_object('cut_bytes', pg_column_size(l.fields))
              else l.fields end
  from lines l
  join own o on o.task_id = l.task_id and o.attempt = l.attempt
  on conflict do nothing;
  get diagnostics v_count = row_count;
  return v_count;
end
$$;

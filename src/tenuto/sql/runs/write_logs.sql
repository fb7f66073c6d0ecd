-- Appends log lines of attempts; lines beyond 10,000 an attempt and text beyond 8 KB a line are cut, lines without a
-- place are left out. Not fenced by the lease: what a lost attempt had to say helps to see why.
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
  insert into tenuto.task_logs (task_id, attempt, line_no, org_id, logged_at, level, message, fields)
  select l.task_id, l.attempt, l.line_no, t.org_id, coalesce(l.logged_at, tenuto.now()), coalesce(l.level, 'info'), left(coalesce(l.message, ''), 8192), l.fields
  from jsonb_to_recordset(p_lines) as l(task_id uuid, attempt int, line_no int, logged_at timestamptz, level text, message text, fields jsonb)
  join tenuto.tasks t on t.id = l.task_id
  join tenuto.sessions s on s.id = p_session_id and s.org_id = t.org_id
  where l.line_no between 1 and 10000 and l.attempt is not null
  on conflict do nothing;
  get diagnostics v_count = row_count;
  return v_count;
end
$$;

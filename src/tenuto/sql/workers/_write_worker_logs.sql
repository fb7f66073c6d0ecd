-- Appends lines to the log of a worker. p_lines is a JSON array of {age_seconds, level, message}; its first 500 lines
-- are written. A message is cut at 4,000 characters. The newest 2,000 lines of a worker are kept.
create or replace function tenuto._write_worker_logs(p_org_id uuid, p_worker_id text, p_lines jsonb)
  returns void
  language plpgsql
as $$
declare
  v_last bigint;
  v_count int;
begin
  if p_lines is null then
    return;
  elsif jsonb_typeof(p_lines) <> 'array' then
    perform tenuto._raise('TN003', 'the log lines of a worker are not an array',
      'pass a JSON array of {"age_seconds": 0.5, "level": "info", "message": "…"}');
  end if;
  v_count := least(jsonb_array_length(p_lines), 500);
  if v_count = 0 then
    return;
  end if;

  update tenuto.workers
  set log_lines = log_lines + v_count
  where org_id = p_org_id
    and id = p_worker_id
  returning log_lines into v_last;

  insert into tenuto.worker_logs (org_id, worker_id, line_no, logged_at, level, message)
  select p_org_id, p_worker_id, v_last - v_count + l.no,
         tenuto.now() - interval '1 second' * case when jsonb_typeof(l.line -> 'age_seconds') = 'number'
           then least(greatest((l.line ->> 'age_seconds')::numeric, 0), 172800)::float8 else 0 end,
         coalesce(nullif(left(l.line ->> 'level', 32), ''), 'info'),
         left(coalesce(l.line ->> 'message', l.line #>> '{}', ''), 4000)
  from jsonb_array_elements(p_lines) with ordinality l(line, no)
  where l.no <= v_count;

  delete from tenuto.worker_logs
  where org_id = p_org_id
    and worker_id = p_worker_id
    and line_no <= v_last - 2000;
end
$$;

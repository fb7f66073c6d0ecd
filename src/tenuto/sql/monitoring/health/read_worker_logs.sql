-- Returns log lines of a worker in their order: the lines after p_after, or without p_after the newest lines. The
-- newest 2,000 lines of each worker are kept, for 48 hours. Raises TN001 if there is no such worker.
create or replace function tenuto.read_worker_logs(
  p_org_id uuid, p_worker_id text, p_after bigint default null, p_limit int default 200)
  returns table (line_no bigint, logged_at timestamptz, level text, message text)
  language plpgsql
  stable
as $$
begin
  if p_limit is null or p_limit not between 1 and 1000 then
    perform tenuto._raise('TN003', format('limit %s is not between 1 and 1000 lines', p_limit),
      'to get the next lines, pass the number of the last one');
  elsif not exists (select from tenuto.workers w where w.org_id = p_org_id and w.id = p_worker_id) then
    perform tenuto._raise('TN001', format('no worker %s', left(p_worker_id, 256)),
      'list the workers to see which exist');
  end if;
  if p_after is not null then
    return query
    select l.line_no, l.logged_at, l.level, l.message
    from tenuto.worker_logs l
    where l.org_id = p_org_id
      and l.worker_id = p_worker_id
      and l.line_no > p_after
    order by l.line_no
    limit p_limit;
    return;
  end if;
  return query
  select n.*
  from (
    select l.line_no, l.logged_at, l.level, l.message
    from tenuto.worker_logs l
    where l.org_id = p_org_id
      and l.worker_id = p_worker_id
    order by l.line_no desc
    limit p_limit
  ) n
  order by n.line_no;
end
$$;

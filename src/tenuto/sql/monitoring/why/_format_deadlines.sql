-- Returns the text to add for a task whose run is cancelled if it has not ended, or not begun, by a certain time;
-- otherwise an empty text.
create or replace function tenuto._format_deadlines(p_run_id uuid, p_begun boolean)
  returns text
  language sql
  stable
as $$
  select coalesce(
    string_agg(
      format('; cancelled at %s unless it has %s by then', tenuto._format_time(d.at),
             case d.kind when 'deadline' then 'ended' else 'begun' end),
      '' order by d.at),
    '')
  from tenuto.run_deadlines d
  where d.run_id = p_run_id
    and (d.kind = 'deadline' or not p_begun);
$$;

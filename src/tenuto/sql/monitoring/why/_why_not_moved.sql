-- Returns a text for a task or run that a dispatcher should have moved at p_due_at: it says whether a dispatcher is
-- alive. Returns null before p_due_at.
create or replace function tenuto._why_not_moved(p_due_at timestamptz)
  returns text
  language sql
  stable
as $$
  select case
    when exists (select from tenuto.dispatchers d where tenuto._dispatcher_status(d.heartbeat) = 'active')
      then '; a dispatcher is about to move it'
    else '; no dispatcher is alive to move it'
  end
  where p_due_at <= tenuto.now();
$$;

-- Returns the text to add for a task whose time has passed and which a dispatcher has not moved yet: whether a
-- dispatcher is alive. Returns null before this time.
create or replace function tenuto._why_not_moved(p_due_at timestamptz)
  returns text
  language sql
  stable
as $$
  select case
    when exists (select from tenuto.dispatchers d where d.heartbeat > tenuto.now() - interval '1 minute')
      then '; a dispatcher is about to move it'
    else '; no dispatcher is alive to move it'
  end
  where p_due_at <= tenuto.now();
$$;

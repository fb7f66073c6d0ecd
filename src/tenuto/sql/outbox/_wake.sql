-- Notifies listeners that a queue may have work. The notification is only a hint, sent at commit: workers also poll.
create or replace function tenuto._wake(p_queue text)
  returns void
  language sql
as $$
  select pg_notify('tenuto_ready', left(p_queue, 256));
$$;

-- Notifies listeners that a queue may have work. Only a hint, sent at commit: workers also poll.
create or replace function tenuto._wake(p_queue text)
  returns void
  language sql
as $$
  select pg_notify('tenuto_ready', left(p_queue, 256));
$$;

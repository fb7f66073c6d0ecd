-- Tells listeners that a queue may have work. A hint, sent at commit: polling is the truth.
create or replace function tenuto._wake(p_queue text)
  returns void
  language sql
as $$
  select pg_notify('tenuto_ready', left(p_queue, 256));
$$;

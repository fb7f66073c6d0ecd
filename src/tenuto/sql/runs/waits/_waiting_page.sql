-- Returns the tasks at which sweep_tasks looks next, among those that wait for children or a signal.
create or replace function tenuto._waiting_page(p_limit int)
  returns uuid[]
  language sql
  stable
  set enable_seqscan = off
as $$
  select array(
    select w.id
    from tenuto.waiting_tasks w
    where w.waits_for in ('children', 'signal') and w.id > tenuto._sweep_position('waiting')
    order by w.id
    limit p_limit);
$$;

-- Returns the pending tasks at which sweep_tasks looks next.
create or replace function tenuto._pending_page(p_limit int)
  returns uuid[]
  language sql
  stable
  set enable_seqscan = off
as $$
  select array(
    select p.id
    from tenuto.pending_tasks p
    where p.id > tenuto._sweep_position('pending')
    order by p.id
    limit p_limit);
$$;

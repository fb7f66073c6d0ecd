-- Wakes the workers of the queues that these cards are in.
create or replace function tenuto._wake_cards(p_cards tenuto.card[])
  returns void
  language sql
as $$
  select tenuto._wake(q.queue)
  from (select distinct o.queue
        from (select distinct c.route_id from unnest(p_cards) c) r
        join tenuto.routes o on o.id = r.route_id) q;
$$;

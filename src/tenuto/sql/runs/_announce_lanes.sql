-- Leaves an arrival for each lane of the cards that claims may not see, or whose floor may be above p_seq, the lowest
-- number of the tasks there, when this commits: lanes that are not there or may be removed meanwhile, every lane of a
-- start inside a client's transaction, and with p_late those of a start that takes seconds. Opens no lane itself:
-- others would wait for that row. A statement that is a transaction of its own began when the transaction did.
create or replace function tenuto._announce_lanes(p_cards tenuto.card[], p_seq bigint, p_late boolean default false)
  returns void
  language sql
as $$
  insert into tenuto.arrivals (org_id, seq, route_id, group_no, priority)
  select n.org_id, p_seq, n.route_id, n.group_no, n.priority
  from (select distinct c.org_id, c.route_id, c.group_no, c.priority from unnest(p_cards) c) n
  where p_late
     or statement_timestamp() <> transaction_timestamp()
     or not exists (
       select from tenuto.ready_lanes l
       where l.route_id = n.route_id and l.group_no = n.group_no and l.priority = n.priority
         and (l.empty_since is null or l.empty_since > tenuto.now() - interval '30 seconds'));
$$;

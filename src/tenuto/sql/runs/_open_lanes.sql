-- Makes the lanes of the cards visible to claims. A lane that another open transaction is making is left to it: waiting
-- for a stranger's commit would be worse. Should that one roll back, sweep_lanes adds the lane within a second.
create or replace function tenuto._open_lanes(p_cards tenuto.card[])
  returns void
  language sql
as $$
  insert into tenuto.ready_lanes (route_id, group_no, priority, org_id)
  select n.route_id, n.group_no, n.priority, n.org_id
  from (
    select distinct c.route_id, c.group_no, c.priority, c.org_id
    from unnest(p_cards) c
    order by 1, 2, 3
  ) n
  where not exists (
      select from tenuto.ready_lanes l
      where l.route_id = n.route_id and l.group_no = n.group_no and l.priority = n.priority)
    and pg_try_advisory_xact_lock(hashtextextended('lane', n.route_id::bigint << 32 | n.group_no::bigint) # n.priority)
  on conflict do nothing;
$$;

-- Leaves an arrival for each lane of the queued tasks that claims may not see, or whose floor may be above p_seq, the lowest
-- number of the tasks there, when this commits: lanes that are not there or may be removed meanwhile, every lane of a
-- start inside a client's transaction, and with p_late those of a start that takes seconds. Opens no lane itself:
-- others would wait for that row. A statement that is a transaction of its own began when the transaction did.
create or replace function tenuto._announce_lanes(p_queued tenuto.queued_task[], p_seq bigint, p_late boolean default false)
  returns void
  language plpgsql
  set enable_seqscan = off
  set enable_hashjoin = off
  set enable_mergejoin = off
  set enable_bitmapscan = off
as $$
declare
  v_unseen tenuto.queued_task[];
begin
  -- Looked for first: nearly always there is none, and preparing an insert costs as much as the look.
  v_unseen := array(
    select (null, n.org_id, null, n.route_id, n.group_no, n.priority, 0, 0)::tenuto.queued_task
    from (select distinct c.org_id, c.route_id, c.group_no, c.priority from unnest(p_queued) c) n
    left join lateral (
      select true as seen from tenuto.ready_lanes l
      where l.route_id = n.route_id and l.group_no = n.group_no and l.priority = n.priority
        and (l.empty_since is null or l.empty_since > tenuto.now() - interval '30 seconds')
      limit 1
    ) l on true
    where p_late or statement_timestamp() <> transaction_timestamp() or l.seen is null);
  if v_unseen <> '{}' then
    insert into tenuto.arrivals (org_id, seq, route_id, group_no, priority)
    select u.org_id, p_seq, u.route_id, u.group_no, u.priority from unnest(v_unseen) u;
  end if;
end
$$;

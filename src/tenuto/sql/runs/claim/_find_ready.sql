-- Locks and returns the rows of the next tasks of a claim: at most p_limit, and from each group at most its share.
-- Tasks of a group come by priority, then by age. Rows that other transactions have locked are skipped. p_many: there
-- may be very many lanes. In this case, or with several groups, the claim reads only the first lanes of each group and
-- route, by priority from the group's value in p_tops downwards: at most 64, or as many as the group's share if that is
-- more. id and group_no belong to one of the returned tasks. Runs with the settings of _claim, which force index
-- lookups regardless of the statistics.
create or replace function tenuto._find_ready(
  p_routes int[], p_groups int[], p_shares int[], p_tops int[], p_many boolean, p_limit int, out due tid[], out id uuid,
  out group_no int)
  language plpgsql
as $$
#variable_conflict use_column
begin
  if cardinality(p_groups) = 1 and not p_many then   -- a shorter query, since most claims serve one group
    group_no := p_groups[1];
    select array_agg(x.tid), (array_agg(x.id))[1]
    into due, id
    from (
      select x.tid, x.id
      from (
        select l.route_id, l.group_no, l.priority, l.floor
        from tenuto.ready_lanes l
        where l.route_id = any (p_routes) and l.group_no = p_groups[1]
        order by l.priority desc, l.floor
        offset 0
      ) l
      cross join lateral (
        select q.ctid as tid, q.id
        from tenuto.ready_tasks q
        where q.route_id = l.route_id and q.group_no = l.group_no and q.priority = l.priority and q.seq >= l.floor
        order by q.seq
        limit p_shares[1]
        for update skip locked
      ) x
      limit p_shares[1]
    ) x;
    return;
  end if;

  select array_agg(y.tid), (array_agg(y.id))[1], (array_agg(y.group_no))[1]
  into due, id, group_no
  from (
    select y.tid, y.id, g.group_no
    from unnest(p_groups, p_shares, p_tops) as g(group_no, share, top)
    cross join lateral (
      select x.tid, x.id
      from (
        select l.route_id, l.group_no, l.priority, l.floor
        from unnest(p_routes) r(id)
        cross join lateral (
          select a.route_id, a.group_no, a.priority, a.floor
          from tenuto.ready_lanes a
          where a.route_id = r.id and a.group_no = g.group_no and a.priority <= g.top
          order by a.route_id desc, a.group_no desc, a.priority desc
          limit greatest(64, g.share)
        ) l
        order by l.priority desc, l.floor
        offset 0
      ) l
      cross join lateral (
        select q.ctid as tid, q.id
        from tenuto.ready_tasks q
        where q.route_id = l.route_id and q.group_no = l.group_no and q.priority = l.priority and q.seq >= l.floor
        order by q.seq
        limit g.share
        for update skip locked
      ) x
      limit g.share
    ) y
    limit p_limit
  ) y;
end
$$;

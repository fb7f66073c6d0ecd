-- Processes arrivals of tasks in the lines of limits. Creates missing limits. Gives each limit the size that is set or
-- declared or, if no size is set or declared, the size in the newest start. Gives free slots to the first tasks in
-- line, and schedules checks of rates. If another transaction has locked a limit, three of its arrivals stay: the
-- newest arrival, the newest arrival with a size, and the arrival of the first task in line. Returns the routes of the
-- admitted tasks.
create or replace function tenuto._follow_lines(p_arrivals bigint[])
  returns int[]
  language plpgsql
  set plan_cache_mode = force_generic_plan
  set enable_seqscan = off
  set enable_bitmapscan = off
  set jit = off
as $$
declare
  v_resizes boolean;
  v_missing boolean;
  v_made bigint[] := '{}';
  v_held bigint[];
  v_lost bigint[] := '{}';
  v_rates bigint[];
begin
  -- Checked first, because nearly always every limit exists and keeps its size.
  select bool_or(a.resizes), bool_or(l.id is null)
  into v_resizes, v_missing
  from tenuto.arrivals a
  left join lateral (select l.id from tenuto.limits l where l.id = a.limit_id limit 1) l on true
  where a.id = any (p_arrivals);
  if v_missing then
    v_made := array(select tenuto._make_limits(p_arrivals));   -- they have their size already
    v_resizes := exists (
      select from tenuto.arrivals a
      where a.id = any (p_arrivals) and a.resizes and a.limit_id not in (select unnest(v_made)));
  end if;
  v_held := array(
    select l.id
    from tenuto.limits l
    where l.id = any (array(select a.limit_id from tenuto.arrivals a where a.id = any (p_arrivals)))
    order by l.scope, l.id
    for no key update skip locked);
  perform tenuto._lower_limit_floors(v_held, array(
    select (a.limit_id, a.org_id, a.priority, a.seq)::tenuto.line_start
    from tenuto.arrivals a
    where a.id = any (p_arrivals) and a.seq is not null));

  if v_resizes then
    update tenuto.limits l
    set size = n.size, seconds = n.seconds, declared = n.declared
    from (
      select distinct on (a.limit_id)
             h.id, coalesce(d.size, a.size, h.size) as size, d.size is not null as declared,
             case when d.size is null and a.size is not null then a.seconds else coalesce(d.seconds, h.seconds) end
               as seconds
      from tenuto.arrivals a
      join tenuto.limits h on h.id = a.limit_id
      left join lateral tenuto._declared_size(h.org_id, h.scope, h.key) d on true
      where a.id = any (p_arrivals) and a.resizes
        and h.id in (select unnest(v_held)) and h.id not in (select unnest(v_made))
      order by a.limit_id, a.id desc
    ) n
    where l.id = n.id
      and (l.size, l.seconds, l.declared) is distinct from (n.size, n.seconds, n.declared);
  end if;

  if v_missing then
    -- Limits that were deleted while these tasks joined their lines.
    v_lost := array(
      select distinct a.limit_id
      from tenuto.arrivals a
      where a.id = any (p_arrivals)
        and a.size is null
        and not exists (select from tenuto.limits l where l.id = a.limit_id));
    if cardinality(v_lost) > 0 then
      perform tenuto._requeue_for_limits(v_lost);
    end if;
  end if;

  delete from tenuto.arrivals a
  where a.id = any (array(
    select n.id
    from (
      select b.id, b.limit_id, b.resizes, b.seq,
             row_number() over (partition by b.limit_id order by b.id desc) as newest,
             row_number() over (partition by b.limit_id, b.resizes order by b.id desc) as newest_size,
             row_number() over (partition by b.limit_id order by -b.priority, b.seq) as first_in_line
      from tenuto.arrivals b
      where b.id = any (p_arrivals)
    ) n
    where n.limit_id in (select unnest(v_held || v_lost))
       or not (n.newest = 1 or (n.resizes and n.newest_size = 1) or (n.seq is not null and n.first_in_line = 1))));
  v_rates := array(select l.id from tenuto.limits l where l.id = any (v_held) and l.scope = 'rate');
  if v_rates = '{}' then
    return tenuto._fill_limits(v_held);
  end if;
  perform tenuto._schedule_rate_checks(v_rates);
  return tenuto._fill_limits(array(select h from unnest(v_held) h where h not in (select unnest(v_rates))));
end
$$;

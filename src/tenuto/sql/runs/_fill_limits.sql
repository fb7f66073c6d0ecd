-- waiting for a limit -> queued: gives free slots to those first in line, under the limit's row lock. A task with
-- several limits moves on to its next line. Limits met on the way are skipped when locked: their holder fills them,
-- or sweep_limits does. Rates give no slots: admit_rates hears of those who wait. p_cards: those who just lined up, whose
-- limits may have new sizes.
create or replace function tenuto._fill_limits(p_limit_ids bigint[], p_cards tenuto.card[] default null)
  returns void
  language plpgsql
  set plan_cache_mode = force_generic_plan
  set enable_seqscan = off
  set enable_hashjoin = off
  set enable_mergejoin = off
  set enable_bitmapscan = off
  set jit = off
as $$
declare
  v_limits bigint[] := p_limit_ids;
  v_resized bigint[] := array(select n.id from tenuto._new_sizes(p_cards) n);
  v_rates bigint[] := array(select id from tenuto.limits where id = any (p_limit_ids) and scope = 'rate');
  v_admitted tenuto.card[];
  v_done tenuto.card[];
begin
  perform from tenuto.limits where id = any (v_limits) and (scope <> 'rate' or id = any (v_resized)) order by scope, id for no key update;
  if cardinality(v_resized) > 0 then
    update tenuto.limits l set size = n.size, seconds = n.seconds
    from tenuto._new_sizes(p_cards) n
    where l.id = n.id and l.id = any (v_limits) and l.id = any (v_resized);
  end if;
  while cardinality(v_limits) > 0
  loop
    with chosen as materialized (
      select w.*
      from tenuto.limits l
      cross join lateral (
        select w.*
        from tenuto.waiting_tasks w
        where w.limit_id = l.id
        order by w.priority desc, w.seq
        limit greatest(0, l.size - (select count(*) from tenuto.limit_slots s where s.limit_id = l.id))
        for update skip locked
      ) w
      where l.id = any (v_limits) and l.scope <> 'rate'
    ), slots as (
      insert into tenuto.limit_slots (task_id, limit_id, org_id)
      select id, limit_id, org_id from chosen
    )
    select array_agg((id, org_id, run_id, route_id, group_no, priority, attempt, traits)::tenuto.card order by priority desc, seq)
    into v_admitted from chosen;
    exit when v_admitted is null;

    with next as materialized (
      select n.no, n.card, n.limit_id from tenuto._next_limits(v_admitted) n
    ), done as (
      delete from tenuto.waiting_tasks where id = any (array(select (n.card).id from next n where n.limit_id is null))
    ), moved as (
      update tenuto.waiting_tasks w set limit_id = n.limit_id from next n where w.id = (n.card).id and n.limit_id is not null
    )
    select array_agg(n.card order by n.no) filter (where n.limit_id is null), array_agg(distinct n.limit_id) filter (where n.limit_id is not null)
    into v_done, v_limits from next n;
    if v_done is not null then
      perform tenuto._enter_lanes(v_done);
    end if;
    v_rates := v_rates || array(select id from tenuto.limits where id = any (v_limits) and scope = 'rate');
    v_limits := array(select id from tenuto.limits where id = any (v_limits) and scope <> 'rate' order by scope, id for no key update skip locked);
  end loop;
  if cardinality(v_rates) > 0 then
    perform tenuto._expect_rates(v_rates);
  end if;
end
$$;

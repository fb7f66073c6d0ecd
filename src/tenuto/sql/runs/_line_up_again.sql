-- waiting for a limit that is gone -> in line anew: prune_limits may have taken it while they lined up, or while they
-- stood in the line of another. p_lost: these lines; else all, one step of the index per line, however many tasks
-- stand in it.
create or replace function tenuto._line_up_again(p_lost bigint[] default null)
  returns void
  language plpgsql
  set plan_cache_mode = force_custom_plan
as $$
declare
  v_lost bigint[] := p_lost;
  v_cards tenuto.card[];
begin
  if v_lost is null then
    with recursive line(id) as (
      select min(w.limit_id) from tenuto.waiting_tasks w
      union all
      select (select min(w.limit_id) from tenuto.waiting_tasks w where w.limit_id > line.id)
      from line
      where line.id is not null
    )
    select array_agg(line.id) into v_lost
    from line
    where not exists (select from tenuto.limits l where l.id = line.id) and line.id is not null;
  end if;
  if v_lost is null then
    return;
  end if;

  with lost as materialized (
    select w.id
    from tenuto.waiting_tasks w
    where w.limit_id = any (v_lost)
    order by w.id
    limit 10000
    for update skip locked
  ), gone as (
    delete from tenuto.waiting_tasks w using lost where w.id = lost.id returning w.*
  )
  select array_agg((id, org_id, run_id, route_id, group_no, priority, attempt, traits)::tenuto.card order by seq)
  into v_cards from gone;
  perform tenuto._make_ready(v_cards);
end
$$;

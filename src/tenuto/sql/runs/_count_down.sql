-- Takes satisfied edges off the counters of pending tasks, which the caller has locked. Those at zero leave: answers
-- their cards, or delays them when their time has not come.
create or replace function tenuto._count_down(p_ids uuid[], p_counts int[])
  returns tenuto.card[]
  language plpgsql
  set plan_cache_mode = force_custom_plan
  set jit = off
as $$
declare
  v_cards tenuto.card[];
begin
  with told as materialized (
    select t.id, t.n from unnest(p_ids, p_counts) as t(id, n)
  ), less as (
    update tenuto.pending_tasks p
    set remaining = p.remaining - t.n
    from told t
    where p.id = t.id and p.remaining > t.n
  ), free as (
    delete from tenuto.pending_tasks p
    using told t
    where p.id = t.id and p.remaining = t.n
    returning p.*
  ), delayed as (
    insert into tenuto.delayed_tasks
      (available_at, id, org_id, run_id, route_id, group_no, priority, attempt, traits, reason)
    select available_at, id, org_id, run_id, route_id, group_no, priority, attempt, traits, 'delay'
    from free
    where available_at > tenuto.now()
  )
  select array_agg((id, org_id, run_id, route_id, group_no, priority, attempt, traits)::tenuto.card order by id)
  into v_cards
  from free
  where available_at is null or available_at <= tenuto.now();
  return v_cards;
end
$$;

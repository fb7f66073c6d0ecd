-- running -> completed, for what the session holds; answers only the reports that were not accepted. Deleting the
-- running row is the decision. History, counts, dependents, slots and effects are the same commit.
create or replace function tenuto._complete(
  p_session_id bigint, p_token uuid, p_task_ids uuid[], p_attempts int[], p_outputs jsonb[], p_effects jsonb)
  returns table (task_id uuid, attempt int, answer text)
  language plpgsql
  set plan_cache_mode = force_generic_plan
  set enable_seqscan = off
  set enable_hashjoin = off
  set enable_mergejoin = off
  set enable_bitmapscan = off
  set jit = off
as $$
declare
  v_accepted uuid[];
  v_followed uuid[];
  v_owned uuid[];
  v_limited uuid[];
  v_cards tenuto.card[];
begin
  if tenuto._session_exists(p_session_id, p_token) then
    with held as materialized (
      select t.ctid as tid, r.output
      from unnest(p_task_ids, p_attempts, p_outputs) as r(id, attempt, output)
      join tenuto.running_tasks t on t.id = r.id and t.attempt = r.attempt
      where t.session_id = p_session_id
      order by t.id
      for update of t
    ), ended as (
      delete from tenuto.running_tasks t using held h where t.ctid = h.tid 
      returning t.id, t.org_id, t.run_id, t.queued_at, t.started_at, t.attempt, t.alone, t.followed, t.owned, t.limited, h.output
    ), history as (
      insert into tenuto.task_attempts (task_id, org_id, queued_at, started_at, ended_at, session_id, end_no, attempt, outcome, reported, output)
      select e.id, e.org_id, e.queued_at, e.started_at, tenuto.now(), p_session_id, 0, e.attempt, 'completed', true, e.output
      from ended e
    ), counts as (
      insert into tenuto.run_counts (run_id, org_id, completed, started_at)
      select e.run_id, e.org_id, count(*), min(e.started_at) from ended e where not e.alone group by 1, 2
    )
    select array_agg(e.id), array_agg(e.id) filter (where e.followed), array_agg(e.id) filter (where e.owned), array_agg(e.id) filter (where e.limited)
    into v_accepted, v_followed, v_owned, v_limited
    from ended e;

    if v_followed is not null then
      v_cards := tenuto._release(v_followed, 'completed');
    end if;
    if v_owned is not null then
      v_cards := v_cards || tenuto._tell_parents(v_owned);
    end if;
    if v_cards is not null or v_limited is not null then
      perform tenuto._make_ready(v_cards, v_limited);
    end if;
  end if;

  if p_effects is not null then
    perform tenuto._publish_effects(v_accepted, p_effects);
  end if;
  if cardinality(v_accepted) is distinct from cardinality(p_task_ids) then
    return query select * from tenuto._refused(p_session_id, p_token, p_task_ids, p_attempts, v_accepted);
  end if;
end
$$;

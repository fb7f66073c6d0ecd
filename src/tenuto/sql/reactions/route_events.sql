-- processing -> done, for effects of kind route_event that the caller has taken: makes the jobs that read the changed
-- datasets react. Writes about p_limit reactions. Effects with more reactions become pending again, with 0 attempts,
-- and continue in a later call. Effects for a DAG that another transaction is changing become pending again too, so
-- that the events of other DAGs do not wait for that transaction. Each job reacts once to an event, however often the
-- event is routed. Returns for each effect that the caller still held whether it is done.
create or replace function tenuto.route_events(p_owner text, p_ids bigint[], p_limit int default 1000)
  returns table (id bigint, done boolean)
  language plpgsql
  set jit = off
as $$
declare
  v_effects tenuto.outbox[] := array(select o::tenuto.outbox from tenuto._held_effects(p_owner, p_ids) o);
  v_events tenuto.event_place[];
  v_changing uuid[];
  v_waiting bigint[] := '{}';
  v_left int := p_limit;
  v_again int := (
    select count(*) from unnest(v_effects) o where not o.payload ? 'events' and not o.payload ? 'emitted');
  v_piece record;
  v_rest jsonb[] := '{}';
  v_rest_ids bigint[] := '{}';
begin
  perform tenuto._add_events(v_effects);
  v_events := array(select e::tenuto.event_place from tenuto._due_events(v_effects, p_limit) e);
  v_changing := tenuto._lock_consumers(v_events, v_effects);

  v_events := v_events[1:tenuto._fitting_events(v_events, p_limit)];
  for v_piece in
    select e.org_id, array_agg(e.event_id) as ids from unnest(v_events) e group by e.org_id order by e.org_id
  loop
    v_left := v_left - tenuto._react(v_piece.org_id, v_piece.ids, p_without => v_changing);
  end loop;
  if v_changing <> '{}' then
    v_waiting := tenuto._waiting_effects(v_events, v_effects, v_changing);
  end if;

  for v_piece in
    select o.id as effect_id, o.org_id, o.payload, e.reached,
           jsonb_array_length(coalesce(o.payload -> 'events', o.payload -> 'emitted')) as total
    from unnest(v_effects) o
    left join (select p.effect_id, max(p.no) as reached from unnest(v_events) p group by 1) e on e.effect_id = o.id
    order by o.id
  loop
    if v_piece.effect_id = any (v_waiting) then
      null;   -- continues from the same place: existing reactions are not repeated
    elsif v_piece.total is null then   -- gets a share, even if new events have used up the limit
      v_piece.payload := tenuto._react_again(v_piece.org_id, v_piece.payload,
        greatest(v_left / v_again, p_limit / 100, 1));
      continue when v_piece.payload is null;
    elsif v_piece.reached = v_piece.total then
      continue;
    elsif v_piece.reached is not null then
      v_piece.payload := v_piece.payload || jsonb_build_object('next', v_piece.reached + 1);
    end if;
    v_rest_ids := v_rest_ids || v_piece.effect_id;
    v_rest := v_rest || v_piece.payload;
  end loop;
  perform tenuto._continue_effects(v_rest_ids, v_rest, v_waiting);
  return query select f, true from tenuto.finish_effects(p_owner, p_ids) f union all select unnest(v_rest_ids), false;
end
$$;

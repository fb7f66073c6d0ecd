-- Returns at most p_limit events that are not routed yet, from the lists in effects of kind route_event. The events of
-- an org come in the order of its effects. Orgs take turns, so that no org waits for all events of another.
create or replace function tenuto._due_events(p_effects tenuto.outbox[], p_limit int)
  returns setof tenuto.event_place
  language sql
  stable
as $$
  select o.id, o.org_id, e.no::int, e.id::uuid
  from unnest(p_effects) o
  cross join lateral jsonb_array_elements_text(coalesce(o.payload -> 'events', o.payload -> 'emitted'))
    with ordinality e(id, no)
  where e.no >= coalesce((o.payload ->> 'next')::int, 1)
  order by row_number() over (partition by o.org_id order by o.id, e.no), o.org_id
  limit p_limit;
$$;

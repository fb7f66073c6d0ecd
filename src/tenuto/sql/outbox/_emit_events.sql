-- Queues OpenLineage events for every OpenLineage destination of an org, in the caller's transaction. The events of one
-- subject, such as an attempt, are in one row per destination, so that one dispatcher at a time delivers them, in
-- order. p_keys[n]: the key of the row; p_subjects[n]: what the events are about; p_events[n]: a list of events. If the
-- row exists already, appends the events to it, without START, which the row has had already. Also removes from it a
-- RUNNING event that is not delivered yet, because newer events follow. done | dead -> pending, for such a row. Keys
-- must be sorted, so that two transactions lock rows in the same order.
create or replace function tenuto._emit_events(p_org_id uuid, p_keys text[], p_subjects jsonb[], p_events jsonb[])
  returns void
  language sql
as $$
  insert into tenuto.outbox as o (org_id, kind, payload, destination, scope, key, available_at, created_at)
  select p_org_id, 'emit_lineage', jsonb_build_object('subject', e.subject, 'events', e.events), d.name, 'emit_lineage',
         e.key || ':' || d.name, tenuto.now(), tenuto.now()
  from unnest(p_keys, p_subjects, p_events) with ordinality as e(key, subject, events, no)
  join tenuto.destinations d on d.org_id = p_org_id and d.openlineage
  order by e.no, d.name
  on conflict (org_id, scope, key) where key is not null do update
    set payload      = jsonb_set(o.payload, '{events}',
                         jsonb_path_query_array(o.payload, '$.events[*] ? (@.type != "RUNNING")')
                         || jsonb_path_query_array(excluded.payload, '$.events[*] ? (@.type != "START")')),
        status       = case when o.status = 'processing' then o.status else 'pending' end,
        attempts     = case when o.status in ('pending', 'processing') then o.attempts else 0 end,
        available_at = case when o.status in ('pending', 'processing') then o.available_at else tenuto.now() end,
        processed_at = null;
$$;

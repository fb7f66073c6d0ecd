-- Returns true if an effect has OpenLineage events that are not delivered yet.
create or replace function tenuto._has_events(p_kind text, p_payload jsonb)
  returns boolean
  language sql
  immutable parallel safe
return p_kind = 'emit_lineage' and coalesce(p_payload -> 'events', '[]') <> '[]';

-- Removes the first event from the list of an effect, after this event was delivered. Returns false if the caller does
-- not own the effect anymore; then another dispatcher delivers the rest. If the first event does not have the type
-- p_type, because a RUNNING event was replaced in the meantime, removes nothing.
create or replace function tenuto.drop_event(p_owner text, p_id bigint, p_type text)
  returns boolean
  language plpgsql
as $$
begin
  update tenuto.outbox o
  set payload = case when o.payload #>> '{events,0,type}' = p_type then o.payload #- '{events,0}' else o.payload end
  where o.id = p_id
    and o.kind = 'emit_lineage'
    and o.status = 'processing'
    and o.locked_by = p_owner;
  return found;
end
$$;

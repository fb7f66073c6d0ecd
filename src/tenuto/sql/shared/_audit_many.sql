-- Records that a client with a database connection changed several entities of one kind. Writes one audit entry, with
-- the number of entities and the ids of the first ten. Records nothing if p_ids is empty.
create or replace function tenuto._audit_many(
  p_org_id uuid, p_entity text, p_ids uuid[], p_action text, p_changes jsonb default '{}')
  returns void
  language plpgsql
as $$
declare
  v_count int := coalesce(cardinality(p_ids), 0);
begin
  if v_count = 1 then
    perform tenuto._audit(p_org_id, p_entity, p_ids[1]::text, p_action, p_changes);
  elsif v_count > 1 then
    perform tenuto._audit(p_org_id, p_entity, format('%s and %s more', p_ids[1], v_count - 1), p_action,
      p_changes || jsonb_build_object(p_entity || 's', v_count, 'first_ids', p_ids[1:10]));
  end if;
end
$$;

-- pending, processing -> dead, for all effects that would reach other systems: deliveries and lineage events. They can
-- be replayed (replay_effects). Returns their number.
create or replace function tenuto._discard_effects(p_reason text)
  returns bigint
  language plpgsql
as $$
declare
  v_count bigint;
begin
  update tenuto.outbox o
  set status = 'dead', locked_by = null, locked_until = null, last_error = p_reason
  where o.status in ('pending', 'processing')
    and o.kind in ('deliver', 'emit_lineage');
  get diagnostics v_count = row_count;
  return v_count;
end
$$;

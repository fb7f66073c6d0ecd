-- Returns the hashes of entries that follow an entry with position p_seq and hash p_previous in the chain of their org.
create or replace function tenuto._audit_hashes(p_previous bytea, p_seq bigint, p_entries tenuto.audit_log[])
  returns bytea[]
  language plpgsql
  stable
as $$
declare
  v_fields text;
  v_hashes bytea[] := '{}';
begin
  for v_fields in
    select tenuto._audit_fields(e::tenuto.audit_log) from unnest(p_entries) e
  loop
    p_seq := p_seq + 1;
    p_previous := sha256(p_previous || convert_to(tenuto._audit_field(p_seq::text) || v_fields, 'UTF8'));
    v_hashes := v_hashes || p_previous;
  end loop;
  return v_hashes;
end
$$;

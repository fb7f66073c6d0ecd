-- Stores a signed chain head. If two dispatchers sign the same head, the first signature is kept. Raises TN001 if the
-- entry at this position has another hash. Runs as the owner.
create or replace function tenuto.record_head(
  p_org_id uuid, p_seq bigint, p_hash bytea, p_signed_at timestamptz, p_signing_key_id text, p_signature bytea)
  returns void
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
begin
  if not exists (select from tenuto.audit_log a where a.org_id = p_org_id and a.seq = p_seq and a.hash = p_hash) then
    perform tenuto._raise('TN001',
      format('audit entry %s of org %s does not exist, or its hash is not the signed one', p_seq, p_org_id));
  end if;
  insert into tenuto.audit_heads (org_id, seq, hash, signed_at, signing_key_id, signature)
  values (p_org_id, p_seq, p_hash, p_signed_at, p_signing_key_id, p_signature)
  on conflict do nothing;
end
$$;

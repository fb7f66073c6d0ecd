-- Returns a page of the org's signed chain heads, newest first, starting before the position p_before.
create or replace function tenuto.list_heads(p_org_id uuid, p_before bigint default null, p_limit int default 50)
  returns table (org_id uuid, seq bigint, hash bytea, signed_at timestamptz, signing_key_id text, signature bytea)
  language plpgsql
  stable
as $$
begin
  perform tenuto._check_page(p_limit);
  return query
  select h.org_id, h.seq, h.hash, h.signed_at, h.signing_key_id, h.signature
  from tenuto.audit_heads h
  where h.org_id = p_org_id and (p_before is null or h.seq < p_before)
  order by h.seq desc
  limit p_limit;
end
$$;

-- Returns where the org's audit chain begins and ends, how many entries are not sealed yet, and the time of the oldest
-- of these. strays: how many entries have no position after the anchor and do not wait to be sealed either; write_audit
-- cannot have written such entries.
create or replace function tenuto.get_chain(
  p_org_id uuid, out seq bigint, out hash bytea, out anchor_seq bigint, out anchor_hash bytea,
  out unsealed bigint, out unsealed_since timestamptz, out strays bigint)
  language plpgsql
  stable
as $$
begin
  select c.seq, c.hash, c.anchor_seq, c.anchor_hash
  into seq, hash, anchor_seq, anchor_hash
  from tenuto.audit_chains c
  where c.org_id = p_org_id;
  if not found then
    seq := 0; hash := ''; anchor_seq := 0; anchor_hash := '';
  end if;
  select count(*) filter (where u.id is not null), min(a.created_at) filter (where u.id is not null),
         count(*) filter (where u.id is null)
  into unsealed, unsealed_since, strays
  from tenuto.audit_log a
  left join tenuto.audit_unsealed u on u.id = a.id
  where a.org_id = p_org_id and (a.seq is null or a.seq <= anchor_seq);
  select unsealed + count(*), least(unsealed_since, min(r.created_at))
  into unsealed, unsealed_since
  from tenuto.audit_arrivals r
  where r.org_id = p_org_id;
end
$$;

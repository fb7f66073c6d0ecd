-- Raises TN004 for every change of an audit entry except two: seal_audit sets its position in the chain once, and
-- prune_audit deletes entries up to the anchor.
create or replace function tenuto._guard_audit_log()
  returns trigger
  language plpgsql
as $$
begin
  if tg_op = 'UPDATE' and old.seq is null and new.seq is not null
     and to_jsonb(old) - 'seq' - 'hash' = to_jsonb(new) - 'seq' - 'hash' then
    return new;
  end if;
  if tg_op = 'DELETE'
     and exists (select from tenuto.audit_chains c where c.org_id = old.org_id and c.anchor_seq >= old.seq) then
    return old;
  end if;
  perform tenuto._raise('TN004', 'entries of the audit log cannot be changed or deleted',
    'prune_audit removes whole months');
  return null;
end
$$;

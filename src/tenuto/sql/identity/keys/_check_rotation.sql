-- Raises an error if a key cannot be replaced by a new one: TN001 if it does not exist (p_id is null), TN003 for a
-- wrong p_overlap, TN004 if it was replaced already, is revoked or has expired. p_what: the kind of key, for the
-- message.
create or replace function tenuto._check_rotation(
  p_what text, p_asked uuid, p_overlap interval, p_id uuid, p_replaced_by uuid, p_revoked_at timestamptz,
  p_expires_at timestamptz)
  returns void
  language plpgsql
  stable
as $$
begin
  if p_overlap < interval '0' or p_overlap > interval '90 days' then
    perform tenuto._raise('TN003', format('overlap %s is not between 0 and 90 days', p_overlap));
  elsif p_id is null then
    perform tenuto._raise('TN001', format('no %s %s', p_what, p_asked));
  elsif p_replaced_by is not null then
    perform tenuto._raise('TN004', format('%s %s was already replaced by %s', p_what, p_asked, p_replaced_by),
      'rotate the newer key');
  elsif p_revoked_at is not null or p_expires_at <= tenuto.now() then
    perform tenuto._raise('TN004', format('%s %s is revoked or has expired', p_what, p_asked), 'create a new one');
  end if;
end
$$;

-- Raises TN003 for an expiry time that has passed. Null is accepted: the key never expires.
create or replace function tenuto._check_expiry(p_expires_at timestamptz)
  returns void
  language plpgsql
  stable
as $$
begin
  if p_expires_at <= tenuto.now() then
    perform tenuto._raise('TN003', format('expires_at %s is in the past', p_expires_at),
      'pass a time in the future, or leave it out');
  end if;
end
$$;

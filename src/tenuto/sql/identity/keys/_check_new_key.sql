-- Raises TN003 if a new API key or worker key cannot have this name, creator or expiry time.
create or replace function tenuto._check_new_key(p_name text, p_created_by text, p_expires_at timestamptz)
  returns void
  language plpgsql
  stable
as $$
begin
  perform tenuto._check_name('the name of a key', coalesce(p_name, ''));
  perform tenuto._check_name('created_by of a key', coalesce(p_created_by, ''));
  perform tenuto._check_expiry(p_expires_at);
end
$$;

-- Raises TN008 with the reason why a key is refused: it does not exist (p_id is null), was revoked, was set inactive or
-- has expired.
create or replace function tenuto._refuse_key(
  p_what text, p_key_id text, p_id uuid, p_revoked_at timestamptz, p_disabled_at timestamptz default null)
  returns void
  language plpgsql
as $$
begin
  if p_id is null then
    perform tenuto._raise('TN008', format('there is no such %s', p_what));
  elsif p_revoked_at is not null then
    perform tenuto._raise('TN008', format('%s %s was revoked', p_what, p_key_id), 'ask for a new one');
  elsif p_disabled_at is not null then
    perform tenuto._raise('TN008', format('%s %s is not active', p_what, p_key_id), 'ask an admin of your org');
  end if;
  perform tenuto._raise('TN008', format('%s %s has expired', p_what, p_key_id), 'ask for a new one');
end
$$;

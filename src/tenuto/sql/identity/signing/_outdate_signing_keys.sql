-- Makes the signing keys too old to sign, so that the next signature is made with a new key. Their signatures stay
-- valid.
create or replace function tenuto._outdate_signing_keys()
  returns void
  language sql
as $$
  update tenuto.signing_keys set created_at = to_timestamp(0) where retired_at is null;
$$;

-- Returns the public keys, with which signatures are verified, newest first. Signatures of retired keys are not valid.
-- Runs as the owner.
create or replace function tenuto.list_signing_keys()
  returns table (id text, public_key jsonb, created_at timestamptz, retired_at timestamptz)
  language sql
  stable
  security definer
  set search_path = pg_catalog, pg_temp
as $$
  select k.id, k.public_key, k.created_at, k.retired_at
  from tenuto.signing_keys k
  order by k.created_at desc, k.id desc;
$$;

-- Returns the key that signs now, with its encrypted private key; no row if there is none. Runs as the owner.
create or replace function tenuto.find_signing_key()
  returns table (id text, public_key jsonb, private_key bytea, created_at timestamptz)
  language sql
  stable
  security definer
  set search_path = pg_catalog, pg_temp
as $$
  select k.id, k.public_key, k.private_key, k.created_at
  from tenuto.signing_keys k
  where k.retired_at is null
  order by k.created_at desc, k.id desc
  limit 1;
$$;

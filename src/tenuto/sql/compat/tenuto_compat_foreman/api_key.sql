-- Shows API keys as the table `api_key` of Foreman does. key_hash is always null, because no role can read the hashes.
-- org_id is the slug of the org.
create or replace view tenuto_compat_foreman.api_key
  with (security_invoker = true)
as
select
  k.id,
  o.slug as org_id,
  k.name,
  null::text as key_hash,
  coalesce(k.prefix, left(k.key_id, 8)) as key_prefix,
  coalesce((select jsonb_object_agg(p, true) from unnest(k.permissions) p), '{}') as permissions,
  k.last_used_at,
  k.expires_at,
  k.created_at,
  k.revoked_at is null and k.disabled_at is null as is_active
from tenuto.api_keys k
join tenuto.orgs o on o.id = k.org_id
where k.org_id = (select tenuto_compat._org_id());

create or replace trigger refuses_writes
  instead of insert or update or delete on tenuto_compat_foreman.api_key
  for each row execute function tenuto_compat._refuse_write('use `tenuto keys` or /v1/keys');

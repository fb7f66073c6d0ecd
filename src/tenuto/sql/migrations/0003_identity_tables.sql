-- Tenants, and the shares of capacity inside a tenant.
create table tenuto.orgs (
  id         uuid primary key,
  slug       text not null,
  name       text not null,
  settings   jsonb not null default '{}',
  created_at timestamptz not null,
  constraint slug_is_unique unique (slug),
  constraint slug_is_short_and_plain check (slug ~ '^[a-z0-9][a-z0-9_-]{0,62}$'),
  constraint settings_are_an_object check (jsonb_typeof(settings) = 'object')
);

-- "no" is the group's number on the hot path, where a uuid would cost twice the index.
create table tenuto.resource_groups (
  id          uuid primary key,
  no          int generated always as identity,
  org_id      uuid not null references tenuto.orgs (id),
  external_id text not null,
  weight      int not null default 1,
  quota       int,
  created_at  timestamptz not null,
  constraint group_number_is_unique unique (no),
  constraint external_id_is_unique_in_its_org unique (org_id, external_id),
  constraint group_belongs_to_its_org unique (org_id, id),
  constraint external_id_is_not_empty check (length(external_id) between 1 and 256),
  constraint weight_is_positive check (weight between 1 and 1000),
  constraint quota_is_not_negative check (quota >= 0)
);

insert into tenuto.orgs (id, slug, name, created_at)
values ('00000000-0000-7000-8000-000000000001', 'default', 'Default', statement_timestamp());

insert into tenuto.resource_groups (id, org_id, external_id, created_at)
values ('00000000-0000-7000-8000-000000000002', '00000000-0000-7000-8000-000000000001', 'default', statement_timestamp());

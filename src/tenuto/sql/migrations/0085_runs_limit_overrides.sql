-- The sizes of limits that people have set: they win over what workers declare, jobs define and starts name, until they
-- are reset.
create table tenuto.limit_overrides (
  org_id uuid not null references tenuto.orgs (id),
  scope  text not null,
  key    text not null,
  size   int not null,
  set_at timestamptz not null,
  primary key (org_id, scope, key),
  constraint scope_is_of_concurrency check (scope in ('key', 'queue')),
  constraint size_is_positive check (size between 1 and 1000000)
);
